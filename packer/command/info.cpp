// seekless info: what a pack set consists of: packs, blocks, scenarios and what their sweeps read,
// or its assets in the order they lie.
// Result: {command, hash_seed, fold_case, packs: [{file, kind, assets, blocks, block_bytes,
// file_bytes, content_bytes, compressed, id}], scenarios: [{name, assets, bytes, ranges,
// read_bytes}]}; of --assets {command, assets: [{path, bytes, pack, block, offset, alignment}]}
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/base/glob.h"
#include "packer/command/internal/command.h"
#include "packer/command/open_set.h"
#include "packer/host/runtime_error.h"
#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

constexpr size_t kLongestName = 24;  // so that a line fits 80 columns

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

Result<Json> packs_of(const OpenSet& open, const Output& answer) {
  Json packs = Json::array();
  std::vector<std::string> names;
  for (uint32_t i = 0; i < open.set().pack_count(); ++i)
    names.push_back(clean_line(open.pack_name(i)));
  names = name_cells(names, kLongestName);
  for (uint32_t i = 0; i < open.set().pack_count(); ++i) {
    const auto pack = open.set().pack(i);
    if (!pack) return from_runtime(pack.error());
    const format::Header& header = (*pack)->header();
    const std::string name = open.pack_name(i);
    const std::string kind = kind_of(open.set(), i);
    const size_t assets = (*pack)->assets().size();
    const size_t blocks = (*pack)->blocks().size();
    answer.line(fmt::format("  {} {:<6} {:>7} {} {:>6} {:<6} {:>9.1f} MB{}", names[i], kind, assets,
                            assets_noun(assets), blocks, blocks == 1 ? "block" : "blocks",
                            megabytes(header.file_bytes),
                            (*pack)->has_compressed_blocks() ? "  lz4" : ""));
    packs.push_back({{"file", name},
                     {"kind", kind},
                     {"assets", (*pack)->assets().size()},
                     {"blocks", (*pack)->blocks().size()},
                     {"block_bytes", header.block_bytes},
                     {"file_bytes", header.file_bytes},
                     {"content_bytes", header.data_bytes},
                     {"compressed", (*pack)->has_compressed_blocks()},
                     {"id", fmt::format("{:016x}", header.checksum)}});
  }
  return packs;
}

// What a sweep reads of a range: from its first block to the end of its last.
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

Result<Json> scenarios_of(const OpenSet& open, const Output& answer) {
  Json scenarios = Json::array();
  const runtime::Catalog* catalog = open.set().catalog();
  if (catalog == nullptr) return scenarios;
  std::vector<std::string> names;
  for (const format::Scenario& scenario : catalog->scenarios())
    names.push_back(clean_line(catalog->name(scenario)));
  names = name_cells(names, kLongestName);
  for (const format::Scenario& scenario : catalog->scenarios()) {
    uint64_t read_bytes = 0;
    for (const format::Range& range : catalog->ranges(scenario)) {
      const auto bytes = bytes_of(open, range);
      if (!bytes) return std::unexpected(bytes.error());
      read_bytes += *bytes;
    }
    const std::string name(catalog->name(scenario));
    const size_t assets = runtime::asset_count(catalog->needs(scenario));
    answer.line(fmt::format("  {} {:>7} {} {:>9.1f} MB; sweep {:>8.1f} MB in {}",
                            names[scenarios.size()], assets, assets_noun(assets),
                            megabytes(scenario.needed_bytes), megabytes(read_bytes),
                            counted(scenario.range_count, "range")));
    scenarios.push_back({{"name", name},
                         {"assets", assets},
                         {"bytes", scenario.needed_bytes},
                         {"ranges", scenario.range_count},
                         {"read_bytes", read_bytes}});
  }
  return scenarios;
}

std::string asset_line(const OpenSet& open, const OpenSet::ListedAsset& asset, bool is_long) {
  std::string path = in_one_line(asset.path);
  if (!is_long) return path;
  const format::Asset& record = asset.place.record();
  return fmt::format("{:>12} {:>8} {:>9}  {:<20} {}", record.size_bytes, record.block,
                     runtime::offset_in_block(record), open.pack_name(asset.pack), path);
}

Json asset_json(const OpenSet& open, const OpenSet::ListedAsset& asset) {
  const format::Asset& record = asset.place.record();
  return {{"path", asset.path},
          {"bytes", record.size_bytes},
          {"pack", open.pack_name(asset.pack)},
          {"block", record.block},
          {"offset", runtime::offset_in_block(record)},
          {"alignment", runtime::alignment_bytes(record)}};
}

Result<void> list_assets(const OpenSet& open, const InfoArguments& arguments) {
  Json assets = Json::array();
  bool is_empty = true;
  const auto listed = open.for_each([&](const OpenSet::ListedAsset& asset) -> Result<void> {
    if (!arguments.globs.empty() && !matches_any_glob(arguments.globs, asset.path)) return {};
    is_empty = false;
    if (arguments.answer.wants_json()) assets.push_back(asset_json(open, asset));
    arguments.answer.line(asset_line(open, asset, arguments.is_long));
    return {};
  });
  if (!listed) return listed;
  if (is_empty) return no_asset_matches(arguments.set);
  return arguments.answer.result({{"command", "info"}, {"assets", assets}});
}

Result<void> run(const InfoArguments& arguments) {
  if (!arguments.lists_assets && (arguments.is_long || !arguments.globs.empty()))
    return wrong_usage({.place = "info",
                        .expected = "--assets, for what lists assets",
                        .found = arguments.is_long
                                     ? "--long alone"
                                     : fmt::format("'{}' alone", arguments.globs.front())});
  const auto open = OpenSet::open(arguments.set);
  if (!open) return std::unexpected(open.error());
  if (arguments.lists_assets) return list_assets(*open, arguments);
  arguments.answer.line("packs");
  const auto packs = packs_of(*open, arguments.answer);
  if (!packs) return std::unexpected(packs.error());
  if (open->set().catalog() != nullptr) arguments.answer.line("scenarios");
  const auto scenarios = scenarios_of(*open, arguments.answer);
  if (!scenarios) return std::unexpected(scenarios.error());
  return arguments.answer.result({{"command", "info"},
                                  {"hash_seed", open->set().hash_seed()},
                                  {"fold_case", open->set().folds_case()},
                                  {"packs", *packs},
                                  {"scenarios", *scenarios}});
}

}  // namespace

void add_info(const Command& tool) {
  auto arguments = std::make_shared<InfoArguments>();
  const Command command =
      tool.add("info", "Show the packs and scenarios of a pack set, or its assets");
  command.option(
      {.name = "PACKSET", .help = "A pack set's folder, or a single pack", .is_required = true},
      arguments->set);
  command.option({.name = "--assets", .help = "List the assets in the order they lie, instead"},
                 arguments->lists_assets);
  command.option({.name = "GLOB", .help = "With --assets: list only what matches"},
                 arguments->globs);
  command.option({.name = "-l,--long", .help = "With --assets: size, block, offset and pack, too"},
                 arguments->is_long);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless info packs\n"
      "  seekless info packs 'texpages/**' --assets --long");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
