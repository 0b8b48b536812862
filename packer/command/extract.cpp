// seekless extract: brings assets out of a pack set as files.
// Result: {command, folder, assets, kept_assets, bytes}
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/command/internal/command.h"
#include "packer/command/open_set.h"
#include "packer/command/progress.h"
#include "packer/pack/unpack.h"
#include "packer/words/counted.h"

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
  arguments.answer.line(fmt::format(
      "{}: {}, {:.1f} MB{}", arguments.output, counted(unpacked->assets, "asset"),
      static_cast<double>(unpacked->bytes) / 1e6,
      unpacked->kept_assets > 0 ? fmt::format("; {} were there already", unpacked->kept_assets)
                                : ""));
  return arguments.answer.result({{"command", "extract"},
                                  {"folder", arguments.output},
                                  {"assets", unpacked->assets},
                                  {"kept_assets", unpacked->kept_assets},
                                  {"bytes", unpacked->bytes}});
}

}  // namespace

void add_extract(const Command& tool) {
  auto arguments = std::make_shared<ExtractArguments>();
  const Command command = tool.add("extract", "Write assets to files again");
  command.option(
      {.name = "PACKSET", .help = "A pack set's folder, or a single pack", .is_required = true},
      arguments->set);
  command.option({.name = "GLOB", .help = "Extract only what matches"}, arguments->options.globs);
  command.option({.name = "-o,--output",
                  .takes = "DIR",
                  .help = "The folder to write to",
                  .is_required = true},
                 arguments->output);
  command.option(
      {.name = "--overwrite",
       .help = "Replace files that exist; without it, those with the same content are kept, "
               "and others are an error"},
      arguments->options.overwrite);
  arguments->answer.add_option(command);
  command.footer("Example:\n  seekless extract packs -o unpacked 'multiplay/**'");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
