// seekless import: converts recorded traces of any dialect to seekless' own format.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/trace_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/mark_options.h"
#include "packer/command/progress.h"
#include "packer/host/files.h"
#include "packer/trace/import_file.h"

namespace seekless {
namespace {

struct ImportArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::string scenario;
  std::vector<std::string> maps;
  std::vector<std::string> only;
  std::string format;
  bool lenient = false;
  bool join = false;
  MarkOptions marks;
  Output answer;
};

Result<ImportOptions> options_of(const ImportArguments& arguments) {
  ImportOptions options;
  options.format = arguments.format;
  options.lenient = arguments.lenient;
  options.scenario = arguments.scenario;
  options.only = arguments.only;
  for (const std::string& rule : arguments.maps) {
    SKL_TRY(auto map, PathMap::parse(rule));
    options.path_maps.push_back(std::move(map));
  }
  SKL_TRY_DO(arguments.marks.apply_to(options));
  return options;
}

void tell(const ImportedTrace& imported, const ImportArguments& arguments) {
  for (const std::string& warning : warnings_of(imported, !arguments.marks.splits.empty()))
    arguments.answer.warn(warning);
  arguments.answer.line(to_text(imported));
}

Result<ImportAnswer> import_all(const ImportArguments& arguments, const ImportOptions& options,
                                const std::vector<std::string>& outputs) {
  ImportAnswer answer;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<std::string> of =
        arguments.join ? arguments.inputs : std::vector{arguments.inputs[i]};
    Progress progress = Progress::of_reading("importing", of);
    auto imported = arguments.join ? import_joined(of, outputs[i], options)
                                   : import_file(of.front(), outputs[i], options);
    progress.finish();
    if (!imported) return std::unexpected(imported.error());
    tell(*imported, arguments);
    answer.traces.push_back(*std::move(imported));
  }
  return answer;
}

Result<void> run(const ImportArguments& arguments) {
  SKL_TRY(const auto options, options_of(arguments));
  SKL_TRY(const auto outputs,
          outputs_of_import(arguments.inputs, arguments.output, arguments.join));
  const bool makes_folder =
      goes_to_folder(arguments.output) && kind_of_path(arguments.output) == PathKind::missing;
  if (makes_folder) SKL_TRY_DO(make_folders(arguments.output));
  const auto answer = import_all(arguments, options, outputs);
  if (!answer && makes_folder) remove_empty_folder(arguments.output);
  if (!answer) return std::unexpected(answer.error());
  std::vector<std::string> next = {"analyze"};
  next.insert(next.end(), outputs.begin(), outputs.end());
  arguments.answer.next(next);
  return arguments.answer.result(to_json(*answer));
}

std::string table_of_formats() {
  std::string table;
  for (const Dialect* dialect : dialects())
    table += fmt::format("  {:<12} {}\n", dialect->name, dialect->description);
  return table;
}

}  // namespace

void add_import(const Command& tool) {
  auto arguments = std::make_shared<ImportArguments>();
  std::vector<std::string> formats;
  for (const Dialect* dialect : dialects()) formats.emplace_back(dialect->name);
  const Command command = tool.add("import", "Convert recorded traces to seekless' own format");
  command.option({.name = "IN",
                  .help = "Traces, plain or compressed with gzip, zip, zstd or LZ4; '-' is stdin",
                  .is_required = true},
                 arguments->inputs);
  command.option({.name = "-o,--output",
                  .takes = "OUT",
                  .help = "Output file, plain if its name ends in .jsonl, else LZ4-framed; or an "
                          "output folder, made if its name ends with '/'",
                  .is_required = true},
                 arguments->output);
  command.option({.name = "--scenario",
                  .takes = "NAME",
                  .help = "Name of the scenario that was recorded",
                  .usual = "the file's name without endings and run number"},
                 arguments->scenario);
  command.option({.name = "--map",
                  .takes = "FROM=TO",
                  .help = "Replace FROM at the start of paths by TO; repeatable, first match wins"},
                 arguments->maps);
  command.option(
      {.name = "--only", .takes = "GLOB", .help = "Keep only matching paths; repeatable"},
      arguments->only);
  command.option({.name = "--format",
                  .takes = "F",
                  .help = "Dialect of the traces, one of those below; by default, it is detected "
                          "from their content",
                  .values = formats},
                 arguments->format);
  command.option({.name = "--lenient", .help = "Continue no matter how many lines can't be parsed"},
                 arguments->lenient);
  command.option(
      {.name = "--join",
       .help = "Join the inputs into one recording. 'strace -ff', for example, writes one file per "
               "thread"},
      arguments->join);
  arguments->marks.add_to(command);
  arguments->answer.add_option(command);
  command.footer("Dialects:\n" + table_of_formats() +
                 "\nExample:\n"
                 "  strace -f -ttt -y -T -o menu.1.strace game\n"
                 "  seekless import menu.1.strace -o traces/ --only '/usr/share/games/**'");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
