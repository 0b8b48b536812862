// seekless extract: writes assets of a pack set as files.
#include <memory>

#include <fmt/format.h>

#include "packer/answer/extract_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/open_set.h"
#include "packer/command/progress.h"
#include "packer/host/files.h"
#include "packer/host/runtime_error.h"
#include "packer/pack/unpack.h"
#include "packer/words/counted.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

struct ExtractArguments {
  std::string set;
  std::string output;
  UnpackOptions options;
  Output answer;
};

// Writes one asset to standard output. Its path is taken literally, even if it looks like a
// pattern.
Result<void> write_out(const OpenSet& open, const ExtractArguments& arguments) {
  const runtime::PackSet& set = open.set();
  const std::string& path = arguments.options.globs.front();
  const uint32_t found = set.find(hash_asset_path(path, set.hash_seed(), set.folds_case()));
  if (found == format::kEmptySlot)
    return failed({.file = arguments.set,
                   .place = "asset '" + path + "'",
                   .found = "none",
                   .advice = "'seekless info --assets' shows what there is"});
  const auto place = set.place(found);
  if (!place) return from_runtime(place.error());
  {
    const auto hidden = hide_progress();  // both may go to the same terminal
    const auto written = unpack_one(*place, [](std::span<const std::byte> part) {
      return write_text("-", {reinterpret_cast<const char*>(part.data()), part.size()});
    });
    if (!written) return written;
  }
  return arguments.answer.result(to_json(ExtractAnswer{
      .folder = "-", .unpacked = {.assets = 1, .bytes = place->record().size_bytes}}));
}

Result<void> run(const ExtractArguments& arguments) {
  const bool is_to_stdout = arguments.output == "-";
  if (is_to_stdout && arguments.options.globs.size() != 1)
    return wrong_usage({.place = "-o -",
                        .expected = "the path of one asset",
                        .found = counted(arguments.options.globs.size(), "path")});
  if (is_to_stdout && arguments.answer.json_goes_to_stdout())
    return wrong_usage({.place = "-o -",
                        .expected = "a file for --json",
                        .found = "'-', where the asset's bytes go"});
  SKL_TRY(const auto open, OpenSet::open(arguments.set));
  if (is_to_stdout) return write_out(open, arguments);
  uint64_t total_bytes = 0;
  for (uint32_t i = 0; i < open.set().asset_count(); ++i) total_bytes += open.set().size_bytes(i);
  Progress progress("extracting", total_bytes);
  UnpackOptions options = arguments.options;
  options.done_bytes = &progress.done_bytes();
  SKL_TRY(const auto unpacked, unpack(open.set(), options, arguments.output));
  progress.finish();
  if (unpacked.assets == 0 && !options.globs.empty()) return no_asset_matches(arguments.set);
  const ExtractAnswer answer = {.folder = arguments.output, .unpacked = unpacked};
  arguments.answer.line(to_text(answer));
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_extract(const Command& tool) {
  auto arguments = std::make_shared<ExtractArguments>();
  const Command command =
      tool.add("extract", "Write assets back to files, or one asset to standard output");
  command.option(
      {.name = "PACKSET", .help = "A pack set's folder, or a single pack", .is_required = true},
      arguments->set);
  command.option({.name = "GLOB", .help = "Extract only matching assets"},
                 arguments->options.globs);
  command.option(
      {.name = "-o,--output",
       .takes = "DIR",
       .help = "Output folder. '-' writes one asset, named by its path, to standard output",
       .is_required = true},
      arguments->output);
  command.option(
      {.name = "--overwrite",
       .help =
           "Replace existing files. By default, an existing file with other content is an error"},
      arguments->options.overwrite);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless extract packs -o unpacked 'multiplay/**'\n"
      "  seekless extract packs stats/mp/base/rules.json -o -");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
