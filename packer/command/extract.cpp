// seekless extract: brings assets out of a pack set as files.
#include <memory>

#include "packer/answer/extract_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/open_set.h"
#include "packer/command/progress.h"

namespace seekless {
namespace {

struct ExtractArguments {
  std::string set;
  std::string output;
  UnpackOptions options;
  Output answer;
};

Result<void> run(const ExtractArguments& arguments) {
  const auto open = OpenSet::open(arguments.set);
  if (!open) return std::unexpected(open.error());
  uint64_t total_bytes = 0;
  for (uint32_t i = 0; i < open->set().asset_count(); ++i) total_bytes += open->set().size_bytes(i);
  Progress progress("extracting", total_bytes);
  UnpackOptions options = arguments.options;
  options.done_bytes = &progress.done_bytes();
  const auto unpacked = unpack(open->set(), options, arguments.output);
  if (!unpacked) return std::unexpected(unpacked.error());
  progress.finish();
  if (unpacked->assets == 0 && !options.globs.empty())
    return failed({.file = arguments.set,
                   .expected = "assets that match",
                   .found = "none",
                   .advice = "patterns without '/' are for file names, '**' crosses folders"});
  const ExtractAnswer answer = {.folder = arguments.output, .unpacked = *unpacked};
  arguments.answer.line(to_text(answer));
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_extract(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<ExtractArguments>();
  CLI::App* command = app.add_subcommand("extract", "Write assets to files again");
  command->add_option("PACKSET", arguments->set, "A pack set's folder, or a single pack")
      ->required();
  command->add_option("GLOB", arguments->options.globs, "Extract only what matches");
  command->add_option("-o,--output", arguments->output, "The folder to write to")
      ->required()
      ->type_name("DIR");
  command->add_flag("--overwrite", arguments->options.overwrite,
                    "Replace files that exist; without it, those with the same content are kept, "
                    "and others are an error");
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless extract packs -o unpacked 'multiplay/**'");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
