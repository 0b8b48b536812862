#include "packer/pack/pack_writer.h"

#include <algorithm>
#include <bit>
#include <span>

#include <fmt/format.h>

#include "packer/content/asset_stream.h"
#include "packer/pack/block_writer.h"
#include "packer/pack/duplicates.h"
#include "packer/pack/tables.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

// Assets larger than a block decide how much memory placing takes. Their sizes are a layout's
// claim, so they are compared with the content first.
Result<void> check_large_assets(const Layout& layout, const LaidPack& pack,
                                ContentReader& content) {
  for (const LaidAsset& asset : pack.assets) {
    if (asset.size_bytes <= layout.block_bytes) continue;
    if (auto entry =
            content.open({asset.path, asset.source, asset.entry, asset.size_bytes, asset.crc32});
        !entry)
      return std::unexpected(entry.error());
    if (asset.entry != kWholeSource) continue;
    const auto file = open_source(layout.sources[asset.source].path);
    if (!file) return std::unexpected(file.error());
    if ((*file)->size_bytes() != asset.size_bytes)
      return failed({.file = (*file)->name(),
                     .expected = fmt::format("{} bytes", asset.size_bytes),
                     .found = fmt::to_string((*file)->size_bytes()),
                     .advice = kContentChanged});
  }
  return {};
}

Result<Placement> place_pack(const LaidPack& pack, const std::vector<uint32_t>& same_as,
                             uint32_t block_bytes) {
  std::vector<AssetToPlace> to_place;
  to_place.reserve(pack.assets.size());
  for (size_t i = 0; i < pack.assets.size(); ++i)
    to_place.push_back({pack.assets[i].size_bytes, pack.assets[i].alignment_bytes, same_as[i]});
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

// Where the first block goes: the tables' lengths follow from the counts.
uint64_t data_offset(const Placement& placement, const Names& names) {
  const uint64_t assets = placement.order.size();
  const uint64_t tables =
      sizeof(format::Header) + section_bytes(placement.blocks.size() * sizeof(format::Block)) +
      section_bytes(format::slot_count_for(static_cast<uint32_t>(assets)) * sizeof(format::Slot)) +
      section_bytes(assets * sizeof(format::Asset)) +
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
    // Equal content has one place, which need not be aligned as this copy asks.
    auto alignment_log2 = static_cast<uint32_t>(std::countr_zero(asset.alignment_bytes));
    if (place.offset_bytes != 0)
      alignment_log2 =
          std::min(alignment_log2, static_cast<uint32_t>(std::countr_zero(place.offset_bytes)));
    records.push_back({hash_asset_path(asset.path, hash_seed, fold), asset.size_bytes, place.block,
                       place.offset_bytes | alignment_log2 << format::kOffsetBits});
  }
  return records;
}

Result<uint64_t> write_tables(const LaidPack& pack, const Placement& placement, const Names& names,
                              const BlockWriter& written, const Layout& layout, uint64_t hash_seed,
                              const PendingFile& file) {
  const std::vector<format::Asset> assets =
      asset_records(pack, placement, hash_seed, layout.fold_case);
  std::vector<uint64_t> path_hashes;
  std::vector<format::ContentHash> hashes;
  TableFile tables(format::FileKind::pack);
  for (size_t i = 0; i < assets.size(); ++i) {
    path_hashes.push_back(assets[i].path_hash);
    hashes.push_back(written.hashes()[placement.order[i]]);
    tables.header().data_bytes += assets[i].size_bytes;
  }
  tables.header().file_bytes = written.end_bytes();
  tables.header().hash_seed = hash_seed;
  tables.header().required_flags = layout.fold_case ? format::kFoldCase : 0;
  tables.header().block_bytes = layout.block_bytes;
  const auto slots = build_slots(path_hashes);
  if (!slots) return std::unexpected(slots.error());
  tables.add(std::span(written.blocks()));
  tables.add(std::span(*slots));
  tables.add(std::span<const format::Asset>(assets));
  tables.add(std::span<const format::ContentHash>(hashes));
  tables.add_bytes(names.bytes, names.chunk_count);
  tables.pad_to(format::kPageBytes);
  return tables.write(file);
}

void count_bytes(const LaidPack& pack, const std::vector<uint32_t>& same_as,
                 const BlockWriter& writer, WrittenPack& written) {
  uint64_t raw_bytes = 0;
  for (const format::Block& block : writer.blocks()) {
    raw_bytes += block.raw_bytes;
    written.saved_bytes += block.raw_bytes - block.stored_bytes;
    written.padding_bytes +=
        format::round_up(block.stored_bytes, format::kPageBytes) - block.stored_bytes;
    written.block_offsets.push_back(block.offset_bytes);
  }
  written.block_offsets.push_back(writer.end_bytes());
  for (size_t i = 0; i < pack.assets.size(); ++i) {
    written.content_bytes += pack.assets[i].size_bytes;
    if (same_as[i] != i) written.duplicate_bytes += pack.assets[i].size_bytes;
  }
  written.padding_bytes += raw_bytes - (written.content_bytes - written.duplicate_bytes);
}

}  // namespace

Result<WrittenPack> write_pack(const Layout& layout, const LaidPack& pack, ContentReader& content,
                               const PackWriteOptions& options, const std::string& path) {
  if (auto checked = check_large_assets(layout, pack, content); !checked)
    return std::unexpected(checked.error());
  const auto same_as = find_duplicates(pack, content);
  if (!same_as) return std::unexpected(same_as.error());
  auto placement = place_pack(pack, *same_as, layout.block_bytes);
  if (!placement) return std::unexpected(placement.error());
  const Names names = names_by_place(pack, *placement);
  if (names.bytes.size() > UINT32_MAX)
    return failed({.file = pack.name,
                   .expected = "paths of at most 4 GiB, compressed",
                   .found = fmt::to_string(names.bytes.size()),
                   .advice = "plan with shorter paths"});
  const uint64_t first_block = data_offset(*placement, names);

  // How long a compressed pack gets isn't known yet.
  const bool compressed = options.codec != format::Codec::raw;
  uint64_t file_bytes = first_block;
  for (const PlacedBlock& block : placement->blocks)
    file_bytes += format::round_up(block.raw_bytes, format::kPageBytes);
  auto file = PendingFile::create(path, compressed ? 0 : file_bytes);
  if (!file) return std::unexpected(file.error());

  BlockWriter writer({pack, content, *placement, *same_as, *file, layout.block_bytes, first_block,
                      options.codec, options.done_bytes});
  if (auto written = writer.run(options.threads); !written) return std::unexpected(written.error());
  const auto id = write_tables(pack, *placement, names, writer, layout, options.hash_seed, *file);
  if (!id) return std::unexpected(id.error());
  if (auto committed = file->commit(); !committed) return std::unexpected(committed.error());

  WrittenPack written;
  written.file_name = pack.name + ".skl";
  written.pack_id = *id;
  written.file_bytes = writer.end_bytes();
  written.table_bytes = first_block;
  count_bytes(pack, *same_as, writer, written);
  written.placement = std::move(*placement);
  return written;
}

}  // namespace seekless
