#include "packer/pack/pack_plan.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/base/each_once.h"
#include "packer/content/asset_stream.h"
#include "packer/host/files.h"
#include "packer/pack/duplicates.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

// The memory for placing depends on the sizes of assets that are larger than a block. The layout
// only claims these sizes, so they are first compared with the content.
Result<void> check_large_assets(const Layout& layout, const LaidPack& pack,
                                ContentReader& content) {
  for (const LaidAsset& asset : pack.assets) {
    if (asset.size_bytes <= layout.block_bytes) continue;
    SKL_TRY_DROP(content.open(ref_of(asset)));
    if (asset.entry != kWholeSource) continue;
    SKL_TRY(const auto file, open_source(layout.sources[asset.source].path));
    if (file->size_bytes() != asset.size_bytes)
      return failed({.file = file->name(),
                     .expected = fmt::format("{} bytes", asset.size_bytes),
                     .found = fmt::to_string(file->size_bytes()),
                     .advice = kContentChanged});
  }
  return {};
}

// A layout with places also says which assets are equal; this checks it against the content. Equal
// assets lie at one place, and different ones at different places.
Result<void> check_equal_places(const LaidPack& pack, std::span<const uint32_t> same_as) {
  std::map<PlaceInPack, uint32_t> first_at;
  for (uint32_t i = 0; i < same_as.size(); ++i) {
    if (pack.assets[i].size_bytes == 0) continue;
    const PlaceInPack& place = pack.places->assets[i];
    const auto [first, is_new] = first_at.try_emplace(place, i);
    const uint32_t expected = is_new ? i : first->second;
    if (same_as[i] == expected) continue;
    return failed(
        {.file = pack.name,
         .place = fmt::format("asset '{}'", pack.assets[i].path),
         .expected =
             fmt::format("the content of '{}', whose place it has", pack.assets[expected].path),
         .found = same_as[i] == i ? std::string("another")
                                  : fmt::format("that of '{}'", pack.assets[same_as[i]].path),
         .advice = "plan again: the content has changed since"});
  }
  return {};
}

Result<Placement> place_pack(const LaidPack& pack, std::span<const uint32_t> same_as,
                             uint32_t block_bytes) {
  if (pack.places) {
    SKL_TRY_DO(check_equal_places(pack, same_as));
    return explicit_placement(pack);
  }
  std::vector<AssetToPlace> to_place;
  to_place.reserve(pack.assets.size());
  for (size_t i = 0; i < pack.assets.size(); ++i)
    to_place.push_back({pack.assets[i].size_bytes, pack.assets[i].alignment_bytes, same_as[i],
                        pack.assets[i].scenario_set});
  Placement placement = place_assets(to_place, block_bytes);
  if (placement.blocks.size() > INT32_MAX)
    return failed({.file = pack.name,
                   .expected = "at most 2147483647 blocks",
                   .found = fmt::to_string(placement.blocks.size()),
                   .advice = "plan with larger blocks"});
  return placement;
}

Names names_by_place(const LaidPack& pack, const Placement& placement) {
  std::vector<std::string_view> paths;
  paths.reserve(placement.order.size());
  for (const uint32_t asset : placement.order) paths.push_back(pack.assets[asset].path);
  return build_names(paths);
}

// Returns the offset of the first block, which follows from the tables' lengths, and so from the
// counts.
uint64_t data_offset(const Placement& placement, const Names& names, uint64_t frames) {
  const uint64_t assets = placement.order.size();
  const uint64_t tables =
      sizeof(format::Header) + section_bytes(placement.blocks.size() * sizeof(format::Block)) +
      section_bytes(format::slot_count_for(static_cast<uint32_t>(assets)) * sizeof(format::Slot)) +
      section_bytes(assets * sizeof(format::Asset)) +
      section_bytes(frames * sizeof(format::Frame)) +
      section_bytes(assets * sizeof(format::ContentHash)) + section_bytes(names.bytes.size());
  return format::round_up(tables, format::kPageBytes);
}

std::vector<format::Asset> asset_records(const LaidPack& pack, const Placement& placement,
                                         uint64_t hash_seed, bool fold) {
  std::vector<format::Asset> records;
  records.reserve(placement.order.size());
  for (const uint32_t index : placement.order) {
    const LaidAsset& asset = pack.assets[index];
    const AssetPlace& place = placement.places[index];
    // Equal assets share one place, whose alignment may be that of another copy.
    auto alignment_log2 = static_cast<uint32_t>(std::countr_zero(asset.alignment_bytes));
    if (place.offset_bytes != 0)
      alignment_log2 =
          std::min(alignment_log2, static_cast<uint32_t>(std::countr_zero(place.offset_bytes)));
    records.push_back({hash_asset_path(asset.path, hash_seed, fold), asset.size_bytes, place.block,
                       place.offset_bytes | alignment_log2 << format::kOffsetBits});
  }
  return records;
}

Result<std::vector<format::Slot>> slots_of(const std::vector<format::Asset>& assets) {
  std::vector<uint64_t> path_hashes;
  path_hashes.reserve(assets.size());
  for (const format::Asset& asset : assets) path_hashes.push_back(asset.path_hash);
  return build_slots(path_hashes);
}

}  // namespace

Result<uint64_t> choose_hash_seed(const Layout& layout) {
  std::vector<std::string_view> paths;
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets) paths.push_back(asset.path);
  keep_each_once(paths);
  return choose_hash_seed(paths, layout.fold_case, hash_asset_path);
}

uint32_t frame_count(const Placement& placement) {
  uint32_t count = 0;
  for (const PlacedBlock& block : placement.blocks)
    count += format::frames_in(block.raw_bytes, format::kDefaultFrameBytes);
  return count;
}

Result<PackPlan> plan_pack(const Layout& layout, const LaidPack& pack, ContentReader& content,
                           format::Codec codec, size_t threads) {
  SKL_TRY_DO(check_large_assets(layout, pack, content));
  SKL_TRY(auto same_as, find_duplicates(pack, content, threads));
  SKL_TRY(auto placement, place_pack(pack, same_as, layout.block_bytes));
  Names names = names_by_place(pack, placement);
  if (names.bytes.size() > UINT32_MAX)
    return failed({.file = pack.name,
                   .expected = "paths of at most 4 GiB, compressed",
                   .found = fmt::to_string(names.bytes.size()),
                   .advice = "plan with shorter paths"});
  uint64_t first_block = data_offset(placement, names, 0);
  if (pack.places) {
    if (first_block > pack.places->data_offset_bytes)
      return failed({.file = pack.name,
                     .expected = fmt::format("tables of at most {} bytes in front of the data",
                                             pack.places->data_offset_bytes),
                     .found = fmt::to_string(first_block),
                     .advice = "make a new layout"});
    first_block = pack.places->data_offset_bytes;
  }
  // If the layout was made for a raw pack, the frames may need more room than it reserves.
  if (codec != format::Codec::raw)
    first_block = std::max(first_block, data_offset(placement, names, frame_count(placement)));
  return PackPlan{std::move(same_as), std::move(placement), std::move(names), first_block};
}

std::vector<format::Block> raw_blocks(const PackPlan& plan) {
  std::vector<format::Block> blocks;
  blocks.reserve(plan.placement.blocks.size());
  uint64_t offset = plan.data_offset_bytes;
  for (const PlacedBlock& block : plan.placement.blocks) {
    blocks.push_back({.offset_bytes = offset,
                      .checksum = 0,
                      .stored_bytes = block.raw_bytes,
                      .raw_bytes = block.raw_bytes,
                      .first_asset = block.first,
                      .first_frame = 0});
    offset += format::round_up(block.raw_bytes, format::kPageBytes);
  }
  return blocks;
}

uint64_t end_of(const PackPlan& plan, std::span<const format::Block> blocks) {
  if (blocks.empty()) return plan.data_offset_bytes;
  return blocks.back().offset_bytes +
         format::round_up(blocks.back().stored_bytes, format::kPageBytes);
}

Result<TableFile> build_tables(const Layout& layout, const LaidPack& pack, const PackPlan& plan,
                               std::span<const format::Block> blocks,
                               std::span<const format::Frame> frames,
                               std::span<const format::ContentHash> hashes, uint64_t file_bytes,
                               uint64_t hash_seed) {
  std::vector<format::Asset> assets =
      asset_records(pack, plan.placement, hash_seed, layout.fold_case);
  SKL_TRY(auto slots, slots_of(assets));
  TableFile tables(format::FileKind::pack);
  tables.reserve(plan.data_offset_bytes);
  for (const format::Asset& asset : assets) tables.header().data_bytes += asset.size_bytes;
  tables.header().file_bytes = file_bytes;
  tables.header().hash_seed = hash_seed;
  tables.header().required_flags = layout.fold_case ? format::kFoldCase : 0;
  tables.header().block_bytes = layout.block_bytes;
  tables.header().frame_bytes = frames.empty() ? 0 : format::kDefaultFrameBytes;
  tables.add(blocks);
  tables.add(std::span<const format::Slot>(std::exchange(slots, {})));
  tables.add(std::span<const format::Asset>(std::exchange(assets, {})));
  tables.add(frames);
  std::vector<format::ContentHash> hashes_by_place;
  hashes_by_place.reserve(hashes.size());
  for (const uint32_t asset : plan.placement.order) hashes_by_place.push_back(hashes[asset]);
  tables.add(std::span<const format::ContentHash>(hashes_by_place));
  tables.add_bytes(plan.names.bytes, plan.names.chunk_count);
  tables.pad_to(plan.data_offset_bytes);  // includes the room that the layout reserves
  return tables;
}

}  // namespace seekless
