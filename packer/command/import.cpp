// seekless import: turns recorded traces of any dialect into the project's own form.
// Result: {command, inputs: [{input, output, scenario, dialect, events, reads, bytes, paths,
// seconds, unparsed_lines}]}
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/mark_options.h"
#include "packer/command/progress.h"
#include "packer/command/trace_summary.h"
#include "packer/host/counted.h"
#include "packer/host/files.h"
#include "packer/trace/dialect.h"
#include "packer/trace/jsonl.h"
#include "packer/trace/strace_join.h"

namespace seekless {
namespace {

struct Arguments {
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

struct Imported {
  std::string input;
  std::string output;
  ImportReport report;
};

std::string file_in_folder(const std::string& folder, const std::string& input) {
  const std::string slash = folder.ends_with('/') ? "" : "/";
  return folder + slash + trace_stem(input) + ".jsonl.lz4";
}

bool goes_to_folder(const Arguments& arguments) {
  return arguments.output.ends_with('/') || kind_of_path(arguments.output) == PathKind::folder;
}

// Where each input goes, in their order.
Result<std::vector<std::string>> outputs_of(const Arguments& arguments) {
  if (arguments.output == "-")
    return wrong_usage({.place = "--output", .expected = "a file or a folder", .found = "'-'"});
  const bool is_folder = goes_to_folder(arguments);
  if (arguments.join)
    return std::vector{is_folder
                           ? file_in_folder(arguments.output, joined_name(arguments.inputs[0]))
                           : arguments.output};
  if (!is_folder && arguments.inputs.size() > 1)
    return wrong_usage({.place = "--output",
                        .expected = fmt::format("a folder for {} inputs", arguments.inputs.size()),
                        .found = fmt::format("the file '{}'", arguments.output),
                        .advice = "end the name with '/' to have a folder made"});
  if (!is_folder) return std::vector{arguments.output};

  std::vector<std::string> outputs;
  std::set<std::string> names;
  for (const std::string& input : arguments.inputs) {
    outputs.push_back(file_in_folder(arguments.output, input));
    if (!names.insert(outputs.back()).second)
      return wrong_usage(
          {.file = input,
           .expected = "inputs of different names",
           .found = fmt::format("a second one that would become '{}'", outputs.back()),
           .advice = "import it on its own"});
  }
  return outputs;
}

Result<ImportOptions> options_of(const Arguments& arguments) {
  ImportOptions options;
  options.format = arguments.format;
  options.lenient = arguments.lenient;
  options.scenario = arguments.scenario;
  options.only = arguments.only;
  for (const std::string& rule : arguments.maps) {
    auto map = PathMap::parse(rule);
    if (!map) return std::unexpected(map.error());
    options.path_maps.push_back(*std::move(map));
  }
  if (auto applied = arguments.marks.apply_to(options); !applied)
    return std::unexpected(applied.error());
  return options;
}

std::unexpected<Error> nothing_left(const std::string& input, const ImportReport& report) {
  Fault fault{
      .file = input,
      .expected = "a trace with at least one read of a file",
      .found = fmt::format("{} of {} without one", counted(report.lines, "line"), report.dialect)};
  if (report.left_out_reads > 0) {
    fault.found =
        counted(report.left_out_reads, "read") + ", all of paths that --only doesn't keep";
    fault.advice = "--only is applied after --map; look at the paths without it first";
  } else if (!report.warnings.empty()) {
    fault.advice = report.warnings.back();
  } else if (report.dialect == "strace") {
    fault.advice =
        "either the program opened no file, or a child of it did (record with -f), or not all "
        "calls "
        "were recorded: openat, read, pread64, readv, preadv, lseek, mmap, dup, fcntl and close";
  } else {
    fault.advice = "record while the program loads";
  }
  return damaged(fault);
}

// The report of a trace that was written; an error if there is nothing in it.
Result<ImportReport> finish(const std::string& input, Result<ImportReport> report,
                            TraceWriter& writer) {
  if (!report) return report;
  if (report->events == 0) return nothing_left(input, *report);
  if (auto finished = writer.finish(); !finished) return std::unexpected(finished.error());
  return report;
}

Result<ImportReport> import_one(const std::string& input, const std::string& output,
                                const ImportOptions& options) {
  auto writer = TraceWriter::create(output);
  if (!writer) return std::unexpected(writer.error());
  const auto progress = Progress::of_reading("importing", {input});
  return finish(input, read_trace(input, options, *writer), *writer);
}

// The files of strace -ff, as one recording.
Result<Imported> import_joined(const std::vector<std::string>& inputs, const std::string& output,
                               ImportOptions options) {
  const std::string name = joined_name(inputs.front());
  std::vector<std::string> warnings;
  const auto stream = join_strace(inputs, warnings);
  if (!stream) return std::unexpected(stream.error());
  auto writer = TraceWriter::create(output);
  if (!writer) return std::unexpected(writer.error());
  options.format = "strace";
  options.default_scenario = scenario_of_file(name);
  if (options.scenario.empty()) options.scenario = scenario_by_rules(options.run_rules, name);
  const auto progress = Progress::of_reading("importing", inputs);
  auto report = finish(name, import_trace(**stream, options, *writer), *writer);
  if (!report) return std::unexpected(report.error());
  report->warnings.insert(report->warnings.begin(), warnings.begin(), warnings.end());
  return Imported{name, output, *std::move(report)};
}

void warn_of_splits(const Arguments& arguments, const Imported& imported) {
  if (!arguments.marks.splits.empty() && imported.report.splits == 0)
    arguments.answer.warn(fmt::format(
        "{}: no file matches --split; entries of archives are known by content only: give it to "
        "`profile` or `plan`",
        imported.input));
}

void print_summary(const Output& answer, const Imported& imported) {
  const ImportReport& report = imported.report;
  for (const std::string& warning : report.warnings) answer.warn(warning);
  for (const UnparsedLine& line : report.first_unparsed)
    answer.warn(fmt::format("{}: line {}: can't be parsed, and is left out: '{}'", imported.input,
                            line.number, line.text));
  answer.line(trace_summary(imported.output, report.dialect, report));
  if (report.read_rows > 0)
    answer.line(
        fmt::format("  {} of reads, {} of them paging; left out: {} that cached reads caused, "
                    "{} at a file's end, {} that failed",
                    counted(report.read_rows, "row"), report.paging_rows,
                    counted(report.explained_paging_rows, "paging row"), report.empty_read_rows,
                    report.failed_read_rows));
  if (report.unparsed_lines + report.left_out_reads > 0)
    answer.line(fmt::format("  left out: {} that can't be parsed, {} by --only",
                            counted(report.unparsed_lines, "line"),
                            counted(report.left_out_reads, "read")));
}

Json to_json(const Imported& imported) {
  const ImportReport& report = imported.report;
  Json json{{"input", imported.input},       {"output", imported.output},
            {"scenario", report.scenario},   {"dialect", report.dialect},
            {"events", report.events},       {"reads", report.reads},
            {"bytes", report.read_bytes},    {"paths", report.paths},
            {"seconds", seconds_of(report)}, {"unparsed_lines", report.unparsed_lines}};
  if (report.read_rows > 0)
    json["read_rows"] = {{"all", report.read_rows},
                         {"paging", report.paging_rows},
                         {"paging_explained", report.explained_paging_rows},
                         {"at_end", report.empty_read_rows},
                         {"failed", report.failed_read_rows}};
  return json;
}

Result<Json> import_all(const Arguments& arguments, const ImportOptions& options,
                        const std::vector<std::string>& outputs) {
  Json inputs = Json::array();
  if (arguments.join) {
    const auto imported = import_joined(arguments.inputs, outputs.front(), options);
    if (!imported) return std::unexpected(imported.error());
    print_summary(arguments.answer, *imported);
    warn_of_splits(arguments, *imported);
    inputs.push_back(to_json(*imported));
    return inputs;
  }
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    auto report = import_one(arguments.inputs[i], outputs[i], options);
    if (!report) return std::unexpected(report.error());
    const Imported imported{arguments.inputs[i], outputs[i], *std::move(report)};
    print_summary(arguments.answer, imported);
    warn_of_splits(arguments, imported);
    inputs.push_back(to_json(imported));
  }
  return inputs;
}

Result<void> run(const Arguments& arguments) {
  const auto options = options_of(arguments);
  if (!options) return std::unexpected(options.error());
  const auto outputs = outputs_of(arguments);
  if (!outputs) return std::unexpected(outputs.error());
  const bool makes_folder =
      goes_to_folder(arguments) && kind_of_path(arguments.output) == PathKind::missing;
  if (makes_folder) {
    if (auto made = make_folders(arguments.output); !made) return made;
  }
  const auto inputs = import_all(arguments, *options, *outputs);
  if (!inputs && makes_folder) remove_empty_folder(arguments.output);
  if (!inputs) return std::unexpected(inputs.error());
  return arguments.answer.result({{"command", "import"}, {"inputs", *inputs}});
}

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const Dialect& dialect : dialects()) names.emplace_back(dialect.name);
  return names;
}

std::string table_of_formats() {
  std::string table;
  for (const Dialect& dialect : dialects())
    table += fmt::format("  {:<12} {}\n", dialect.name, dialect.description);
  return table;
}

}  // namespace

void add_import(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("import", "Turn recorded traces into seekless' own form");
  command
      ->add_option("IN", arguments->inputs,
                   "Traces, plain or packed by gzip, zip, zstd or LZ4; '-' is stdin")
      ->required();
  command
      ->add_option(
          "-o,--output", arguments->output,
          "A file (.jsonl, or .jsonl.lz4 to have it packed), or a folder, made if the name "
          "ends with '/'")
      ->required()
      ->type_name("OUT");
  command
      ->add_option("--scenario", arguments->scenario,
                   "What was being loaded [the file's name without endings and run number]")
      ->type_name("NAME");
  command
      ->add_option("--map", arguments->maps,
                   "Rewrite the front of paths; the first rule that matches counts")
      ->type_name("FROM=TO")
      ->allow_extra_args(false);
  command->add_option("--only", arguments->only, "Keep only paths that match; may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command
      ->add_option("--format", arguments->format,
                   "Don't recognise the traces' dialect from their content, but take it for this "
                   "one of those listed below")
      ->check(CLI::IsMember(names_of_formats()).description(""))
      ->type_name("F");
  command->add_flag("--lenient", arguments->lenient, "Go on however many lines can't be parsed");
  command->add_flag("--join", arguments->join,
                    "The inputs are one recording: the files of strace -ff, one a thread");
  arguments->marks.add_to(*command);
  arguments->answer.add_option(*command);
  command->footer("Dialects:\n" + table_of_formats() +
                  "\n"
                  "Example:\n"
                  "  strace -f -ttt -y -T -o menu.1.strace game\n"
                  "  seekless import menu.1.strace -o traces/ --only '/usr/share/games/**'");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
