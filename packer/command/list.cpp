// seekless list: the assets of a pack set, in the order they lie.
// Result: {command, assets: [{path, bytes, pack, block, offset, alignment}]}
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/base/glob.h"
#include "packer/command/internal/command.h"
#include "packer/command/open_set.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

struct ListArguments {
  std::string set;
  std::vector<std::string> globs;
  bool is_long = false;
  Output answer;
};

Result<void> run(const ListArguments& arguments) {
  const auto open = OpenSet::open(arguments.set);
  if (!open) return std::unexpected(open.error());
  Json assets = Json::array();
  size_t count = 0;
  const auto listed = open->for_each([&](const OpenSet::ListedAsset& asset) -> Result<void> {
    const bool is_wanted = arguments.globs.empty() || matches_any_glob(arguments.globs, asset.path);
    if (!is_wanted) return {};
    ++count;
    const format::Asset& record = asset.place.record();
    const std::string pack = open->pack_name(asset.pack);
    if (arguments.answer.wants_json())
      assets.push_back({{"path", asset.path},
                        {"bytes", record.size_bytes},
                        {"pack", pack},
                        {"block", record.block},
                        {"offset", runtime::offset_in_block(record)},
                        {"alignment", runtime::alignment_bytes(record)}});
    arguments.answer.line(arguments.is_long
                              ? fmt::format("{:>12} {:>8} {:>9}  {:<20} {}", record.size_bytes,
                                            record.block, runtime::offset_in_block(record), pack,
                                            in_one_line(asset.path))
                              : in_one_line(asset.path));
    return {};
  });
  if (!listed) return listed;
  if (count == 0)
    return failed({.file = arguments.set,
                   .expected = "assets that match",
                   .found = "none",
                   .advice = "patterns without '/' are for file names, '**' crosses folders"});
  return arguments.answer.result({{"command", "list"}, {"assets", assets}});
}

}  // namespace

void add_list(const Command& tool) {
  auto arguments = std::make_shared<ListArguments>();
  const Command command = tool.add("list", "List assets in the order they lie");
  command.option(
      {.name = "PACKSET", .help = "A pack set's folder, or a single pack", .is_required = true},
      arguments->set);
  command.option({.name = "GLOB", .help = "List only what matches"}, arguments->globs);
  command.option({.name = "-l,--long", .help = "With size, block, offset and pack"},
                 arguments->is_long);
  arguments->answer.add_option(command);
  command.footer("Example:\n  seekless list packs 'texpages/**' --long");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
