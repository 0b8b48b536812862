// seekless info: shows what a pack set consists of: packs, blocks, scenarios and what their sweeps
// read.
#include <memory>

#include <fmt/format.h>

#include "packer/answer/info_answer.h"
#include "packer/base/glob.h"
#include "packer/command/internal/command.h"
#include "packer/command/open_set.h"
#include "packer/host/runtime_error.h"

namespace seekless {
namespace {

struct InfoArguments {
  std::string set;
  std::vector<std::string> globs;
  bool lists_assets = false;
  bool is_long = false;
  Output answer;
};

std::string kind_of(const runtime::PackSet& set, uint32_t pack) {
  if (set.catalog() == nullptr) return "single";
  switch (set.catalog()->packs()[pack].kind) {
    case format::PackKind::common:
      return "common";
    case format::PackKind::sub:
      return "sub";
    case format::PackKind::cold:
      break;
  }
  return "cold";
}

Result<std::vector<PackInfo>> packs_of(const OpenSet& open) {
  std::vector<PackInfo> packs;
  for (uint32_t i = 0; i < open.set().pack_count(); ++i) {
    const auto pack = open.set().pack(i);
    if (!pack) return from_runtime(pack.error());
    const format::Header& header = (*pack)->header();
    packs.push_back({.file = open.pack_name(i),
                     .kind = kind_of(open.set(), i),
                     .assets = (*pack)->assets().size(),
                     .blocks = (*pack)->blocks().size(),
                     .block_bytes = header.block_bytes,
                     .file_bytes = header.file_bytes,
                     .content_bytes = header.data_bytes,
                     .is_compressed = (*pack)->has_compressed_blocks(),
                     .id = header.checksum});
  }
  return packs;
}

// Returns the bytes that a sweep reads for a range: from its first block to the end of its last.
Result<uint64_t> bytes_of(const OpenSet& open, const format::Range& range) {
  const auto pack = open.set().pack(range.pack);
  if (!pack) return from_runtime(pack.error());
  uint64_t bytes = 0;
  const auto blocks = (*pack)->blocks();
  for (size_t i = range.first_block;
       i < std::min<size_t>(blocks.size(), size_t{range.first_block} + range.block_count); ++i)
    bytes += format::round_up(blocks[i].stored_bytes, format::kPageBytes);
  return bytes;
}

Result<std::vector<ScenarioInfo>> scenarios_of(const OpenSet& open) {
  std::vector<ScenarioInfo> scenarios;
  const runtime::Catalog* catalog = open.set().catalog();
  if (catalog == nullptr) return scenarios;
  for (const format::Scenario& scenario : catalog->scenarios()) {
    uint64_t read_bytes = 0;
    for (const format::Range& range : catalog->ranges(scenario)) {
      SKL_TRY(const auto bytes, bytes_of(open, range));
      read_bytes += bytes;
    }
    scenarios.push_back({.name = std::string(catalog->name(scenario)),
                         .assets = runtime::asset_count(catalog->needs(scenario)),
                         .bytes = scenario.needed_bytes,
                         .ranges = scenario.range_count,
                         .read_bytes = read_bytes});
  }
  return scenarios;
}

Result<void> list_assets(const OpenSet& open, const InfoArguments& arguments) {
  auto assets = nlohmann::ordered_json::array();
  bool is_empty = true;
  const auto listed = open.for_each([&](const OpenSet::ListedAsset& asset) -> Result<void> {
    if (!arguments.globs.empty() && !matches_any_glob(arguments.globs, asset.path)) return {};
    is_empty = false;
    const format::Asset& record = asset.place.record();
    const AssetInfo info = {.path = asset.path,
                            .bytes = record.size_bytes,
                            .pack = open.pack_name(asset.pack),
                            .block = record.block,
                            .offset = runtime::offset_in_block(record),
                            .alignment = runtime::alignment_bytes(record)};
    if (arguments.answer.wants_json()) assets.push_back(to_json(info));
    arguments.answer.line(to_text(info, arguments.is_long));
    return {};
  });
  if (!listed) return listed;
  if (is_empty) return no_asset_matches(arguments.set);
  return arguments.answer.result({{"command", "info"}, {"assets", std::move(assets)}});
}

Result<void> run(const InfoArguments& arguments) {
  SKL_TRY(const auto open, OpenSet::open(arguments.set));
  if (arguments.lists_assets) return list_assets(open, arguments);
  SKL_TRY(auto packs, packs_of(open));
  SKL_TRY(auto scenarios, scenarios_of(open));
  const InfoAnswer answer = {.hash_seed = open.set().hash_seed(),
                             .folds_case = open.set().folds_case(),
                             .has_catalog = open.set().catalog() != nullptr,
                             .packs = std::move(packs),
                             .scenarios = std::move(scenarios)};
  arguments.answer.line(to_text(answer));
  arguments.answer.next({"info", arguments.set, "--assets", "--long"});
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_info(const Command& tool) {
  auto arguments = std::make_shared<InfoArguments>();
  const Command command =
      tool.add("info", "Show the packs and scenarios of a pack set, or its assets");
  command.option(
      {.name = "PACKSET", .help = "A pack set's folder, or a single pack", .is_required = true},
      arguments->set);
  command.option(
      {.name = "--assets", .help = "List the assets instead, in the order of the packs' data"},
      arguments->lists_assets);
  command.option({.name = "GLOB",
                  .help = "With --assets: list only matching assets",
                  .only_with = {"--assets"}},
                 arguments->globs);
  command.option({.name = "-l,--long",
                  .help = "With --assets: also show size, block, offset and pack",
                  .only_with = {"--assets"}},
                 arguments->is_long);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless info packs\n"
      "  seekless info packs 'texpages/**' --assets --long");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
