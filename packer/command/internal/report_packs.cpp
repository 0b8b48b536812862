#include "packer/command/internal/report_packs.h"

#include <algorithm>
#include <vector>

#include "packer/command/open_set.h"
#include "packer/host/runtime_error.h"

namespace seekless {
namespace {

PackReport describe(const runtime::Pack& pack, std::string name, format::PackKind kind) {
  static constexpr const char* kPackKinds[] = {"common", "sub", "cold"};
  uint64_t used_bytes = 0;
  uint64_t last_place = UINT64_MAX;
  for (const format::Asset& asset : pack.assets()) {
    // Assets of equal content share one place.
    const uint64_t place = (uint64_t{asset.block} << 32) | asset.place;
    if (asset.size_bytes > 0 && place != last_place) used_bytes += asset.size_bytes;
    if (asset.size_bytes > 0) last_place = place;
  }
  uint64_t stored_bytes = 0;
  uint64_t raw_bytes = 0;
  for (const format::Block& block : pack.blocks()) {
    raw_bytes += block.raw_bytes;
    stored_bytes += format::round_up(block.stored_bytes, format::kPageBytes) - block.stored_bytes;
  }
  const auto number = static_cast<uint32_t>(kind) - 1;
  return {.name = std::move(name),
          .kind = number < 3 ? kPackKinds[number] : "other",
          .assets = pack.assets().size(),
          .file_bytes = pack.header().file_bytes,
          .content_bytes = pack.header().data_bytes,
          .padding_bytes = raw_bytes - used_bytes + stored_bytes};
}

// Returns where a byte of a block lies in the file. Compressed frames are assumed to shrink evenly.
uint64_t place_in_file(const runtime::Pack& pack, uint32_t block, uint64_t raw_offset_bytes) {
  const format::Block& of = pack.blocks()[block];
  if (!runtime::is_compressed(of)) return of.offset_bytes + raw_offset_bytes;
  const uint64_t frame_bytes = pack.header().frame_bytes;
  // The end of the block belongs to its last frame.
  const auto number =
      static_cast<uint32_t>(std::min(raw_offset_bytes, uint64_t{of.raw_bytes} - 1) / frame_bytes);
  const format::Frame& frame = pack.frames_of(block)[number];
  return of.offset_bytes + frame.offset_bytes +
         (raw_offset_bytes - number * frame_bytes) * frame.stored_bytes /
             pack.raw_bytes_of(block, number);
}

PackRange range_of(uint32_t number, const runtime::Pack& pack, const format::Asset& asset) {
  const uint32_t last = asset.block + pack.block_count(asset) - 1;
  const uint64_t full_bytes = uint64_t{last - asset.block} * pack.header().block_bytes;
  const uint64_t start = runtime::offset_in_block(asset);
  return {number, place_in_file(pack, asset.block, start),
          place_in_file(pack, last, start + asset.size_bytes - full_bytes)};
}

// Returns the range from the start of the first block to the page boundary after the last block. It
// is empty if there is no such block.
PackRange range_of(const runtime::Pack& pack, const format::Range& range) {
  const std::span<const format::Block> blocks = pack.blocks();
  const uint64_t end = uint64_t{range.first_block} + range.block_count;
  if (range.block_count == 0 || end > blocks.size()) return {range.pack, 0, 0};
  const format::Block& last = blocks[end - 1];
  return {range.pack, blocks[range.first_block].offset_bytes,
          last.offset_bytes + format::round_up(last.stored_bytes, format::kPageBytes)};
}

class ReadsOfSet {
 public:
  ReadsOfSet(const runtime::Catalog& catalog, const std::vector<const runtime::Pack*>& packs)
      : catalog_(catalog), packs_(packs) {
    for (const runtime::Pack* pack : packs) is_copy_.emplace_back(pack->assets().size());
    for (const format::CatalogAsset& asset : catalog.assets())
      if (asset.place_count > 1)
        for (const format::Place& place : catalog.places(asset))
          is_copy_[place.pack][place.asset] = true;
  }

  ScenarioReads of(const format::Scenario& scenario) const {
    ScenarioReads reads = {.name = std::string(catalog_.name(scenario))};
    for (const format::Range& range : catalog_.ranges(scenario))
      reads.read.push_back(range_of(*packs_[range.pack], range));
    for (const format::Need& need : catalog_.needs(scenario))
      for (uint32_t i = 0; i < need.asset_count; ++i)
        add_needed({need.pack, need.first_asset + i}, reads);
    return reads;
  }

 private:
  void add_needed(const format::Place& place, ScenarioReads& reads) const {
    const format::Asset& asset = packs_[place.pack]->assets()[place.asset];
    if (asset.size_bytes == 0) return;
    const PackRange range = range_of(place.pack, *packs_[place.pack], asset);
    reads.needed.push_back(range);
    if (is_copy_[place.pack][place.asset]) reads.copied.push_back(range);
  }

  const runtime::Catalog& catalog_;
  const std::vector<const runtime::Pack*>& packs_;
  std::vector<std::vector<bool>> is_copy_;  // indexed by pack and asset
};

}  // namespace

Result<void> add_packs(const std::string& set, Report& report) {
  SKL_TRY(const auto open, OpenSet::open(set));
  const runtime::Catalog* catalog = open.set().catalog();
  if (catalog == nullptr)
    return failed({.file = set, .expected = "a pack set", .found = "a single pack"});
  std::vector<const runtime::Pack*> packs;
  for (uint32_t i = 0; i < open.set().pack_count(); ++i) {
    const auto pack = open.set().pack(i);
    if (!pack) return from_runtime(pack.error());
    packs.push_back(*pack);
    report.packs.push_back(describe(**pack, open.pack_name(i), catalog->packs()[i].kind));
  }
  const ReadsOfSet reads(*catalog, packs);
  for (const format::Scenario& scenario : catalog->scenarios())
    report.reads.push_back(reads.of(scenario));
  return {};
}

}  // namespace seekless
