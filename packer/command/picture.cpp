// seekless picture: draws traces as a page of disk-offset graphs, side by side.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/picture_of_trace.h"
#include "packer/trace/dialect.h"

namespace seekless {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  std::string output;
  std::string title;
  Output answer;  // for warnings only
};

Result<void> run(const Arguments& arguments) {
  PicturePage page{.title = arguments.title};
  for (const std::string& input : arguments.inputs) {
    PictureOfTrace sink;
    const auto report = read_trace(input, {}, sink);
    if (!report) return std::unexpected(report.error());
    for (const std::string& warning : report->warnings) arguments.answer.warn(warning);
    page.pictures.push_back(sink.finish());
    page.pictures.back().title = trace_stem(input);
  }
  return write_picture(arguments.output, page);
}

}  // namespace

void add_picture(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("picture", "Draw when and where traces read, as one HTML page");
  command->add_option("TRACE", arguments->inputs, "Traces of any dialect, drawn side by side")
      ->required();
  command->add_option("-o,--output", arguments->output, "The page (.html); '-' is standard output")
      ->required()
      ->type_name("OUT");
  command->add_option("--title", arguments->title, "What the page is about")->type_name("TEXT");
  command->footer("Example:\n  seekless picture before.jsonl.lz4 after.jsonl.lz4 -o both.html");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
