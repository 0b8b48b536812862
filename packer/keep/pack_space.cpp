#include "packer/keep/pack_space.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "packer/keep/patch_layout.h"
#include "runtime/pack_format.h"

namespace seekless {

using format::kPageBytes;
using format::round_up;

PackSpace::PackSpace(const std::vector<SpaceItem>& items, uint32_t block_bytes,
                     uint64_t data_offset_bytes)
    : items_(items),
      block_bytes_(block_bytes),
      data_offset_bytes_(data_offset_bytes),
      cell_bytes_(std::min<uint64_t>(kGridBytes, block_bytes)) {}

void PackSpace::restore(std::span<const uint32_t> block_raw_bytes,
                        std::span<const std::optional<PlaceInPack>> places,
                        std::span<const uint64_t> sizes_bytes) {
  std::vector<uint32_t> by_place;
  for (uint32_t item = 0; item < places.size(); ++item)
    if (places[item]) by_place.push_back(item);
  std::ranges::stable_sort(by_place, {}, [&](uint32_t item) { return *places[item]; });
  size_t next = 0;
  for (uint32_t block = 0; block < block_raw_bytes.size();) {
    PackExtent extent;
    uint32_t count = 1;
    for (; next < by_place.size() && places[by_place[next]]->block < block + count; ++next) {
      const uint32_t item = by_place[next];
      const PlaceInPack& place = *places[item];
      extent.held.push_back(
          {item, uint64_t{place.block - block} * block_bytes_ + place.offset_bytes});
      if (sizes_bytes[item] > block_bytes_)
        count = static_cast<uint32_t>(place.block - block +
                                      (sizes_bytes[item] + block_bytes_ - 1) / block_bytes_);
    }
    extent.number = static_cast<uint32_t>(extents_.size());
    for (uint32_t i = 0; i < count; ++i)
      extent.size_bytes += round_up(block_raw_bytes[block + i], kPageBytes);
    extent_of_block_.insert(extent_of_block_.end(), count, extent.number);
    block += count;
    extents_.push_back(std::move(extent));
  }
}

void PackSpace::vacate(std::span<const uint32_t> vacated) {
  for (const uint32_t block : vacated) extents_[extent_of_block_[block]].is_changed = true;
  uint64_t begin = data_offset_bytes_;
  std::vector<PackExtent> kept;
  for (PackExtent& extent : extents_) {
    const uint64_t size = extent.size_bytes;
    if (extent.is_changed && extent.held.empty()) {
      PackSpace cut(items_, block_bytes_, begin);
      cut.insert_free(0, begin, size);
      std::ranges::move(cut.extents_, std::back_inserter(kept));
    } else {
      kept.push_back(std::move(extent));
    }
    begin += size;
  }
  extents_ = std::move(kept);
}

LaidPlaces PackSpace::to_places() const {
  LaidPlaces places = {data_offset_bytes_, {}, std::vector<PlaceInPack>(items_.size())};
  for (const PackExtent& extent : extents_) {
    const auto first = static_cast<uint32_t>(places.block_raw_bytes.size());
    for (const HeldItem& held : extent.held)
      places.assets[held.item] = {static_cast<uint32_t>(first + held.offset_bytes / block_bytes_),
                                  static_cast<uint32_t>(held.offset_bytes % block_bytes_)};
    for (uint64_t left = extent.size_bytes; left > 0;) {
      const uint64_t raw_bytes = std::min<uint64_t>(left, block_bytes_);
      places.block_raw_bytes.push_back(static_cast<uint32_t>(raw_bytes));
      left -= raw_bytes;
    }
  }
  return places;
}

std::vector<uint64_t> PackSpace::begins() const {
  std::vector<uint64_t> begins = {data_offset_bytes_};
  begins.reserve(extents_.size() + 1);
  for (const PackExtent& extent : extents_) begins.push_back(begins.back() + extent.size_bytes);
  return begins;
}

std::optional<uint32_t> PackSpace::readers(const PackExtent& extent) const {
  if (extent.held.empty()) return {};
  return items_[extent.held.front().item].readers;
}

std::optional<PackSpace::Hole> PackSpace::find_hole(const PackExtent& extent, uint64_t begin,
                                                    uint32_t item) const {
  const SpaceItem& wanted = items_[item];
  std::optional<Hole> best;
  // Only searches the extent's own cell; what lies after its line belongs to an asset that crosses
  // it.
  const uint64_t end = std::min(extent.size_bytes, line_behind(begin) - begin);
  uint64_t free_from = 0;
  for (size_t i = 0; i <= extent.held.size(); ++i) {
    const uint64_t free_to =
        std::min(end, i < extent.held.size() ? extent.held[i].offset_bytes : end);
    const uint64_t offset = round_up(free_from, wanted.alignment_bytes);
    if (offset <= free_to && wanted.size_bytes <= free_to - offset) {
      const uint64_t left = free_to - free_from - wanted.size_bytes;
      if (!best || left < best->left_bytes) best = {offset, left};
    }
    if (i < extent.held.size())
      free_from = extent.held[i].offset_bytes + items_[extent.held[i].item].size_bytes;
  }
  return best;
}

void PackSpace::hold(PackExtent& extent, uint32_t item, uint64_t offset_bytes) {
  const auto at = std::ranges::upper_bound(extent.held, offset_bytes, {}, &HeldItem::offset_bytes);
  extent.held.insert(at, {item, offset_bytes});
  extent.is_changed = true;
}

void PackSpace::insert_free(size_t index, uint64_t begin, uint64_t size_bytes) {
  std::vector<PackExtent> added;
  while (size_bytes > 0) {
    const uint64_t length = std::min(size_bytes, line_behind(begin) - begin);
    added.push_back({.size_bytes = length, .held = {}, .is_changed = true});
    begin += length;
    size_bytes -= length;
  }
  extents_.insert(extents_.begin() + static_cast<std::ptrdiff_t>(index),
                  std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

void PackSpace::drop_free() {
  while (!extents_.empty() && extents_.back().held.empty()) extents_.pop_back();
  std::vector<PackExtent> kept;
  uint64_t begin = data_offset_bytes_;
  for (size_t i = 0; i < extents_.size();) {
    uint64_t free_bytes = 0;
    size_t end = i;
    for (; end < extents_.size() && extents_[end].held.empty(); ++end)
      free_bytes += extents_[end].size_bytes;
    if (free_bytes >= kGridBytes) {
      PackSpace rest(items_, block_bytes_, begin);
      rest.insert_free(0, begin, free_bytes % kGridBytes);
      std::ranges::move(rest.extents_, std::back_inserter(kept));
      begin += free_bytes % kGridBytes;
      i = end;
    }
    for (end = std::max(end, i + 1); i < std::min(end, extents_.size()); ++i) {
      begin += extents_[i].size_bytes;
      kept.push_back(std::move(extents_[i]));
    }
  }
  extents_ = std::move(kept);
}

void PackSpace::reserve_tables(uint64_t table_bytes) {
  if (table_bytes <= data_offset_bytes_) return;
  const uint64_t more = round_up(table_bytes - data_offset_bytes_, kPageBytes);
  data_offset_bytes_ += more;
  insert_free(0, data_offset_bytes_, round_up(more, kGridBytes) - more);
}

uint64_t table_room_bytes(uint64_t assets, uint64_t path_bytes, uint64_t blocks) {
  const auto section = [](uint64_t bytes) {
    return round_up(bytes, format::kSectionAlignmentBytes);
  };
  const uint64_t chunks = (assets + format::kNamesPerChunk - 1) / format::kNamesPerChunk;
  // Names are stored compressed only if that is shorter, so this is the upper limit.
  const uint64_t names = sizeof(format::NamesHeader) + chunks * sizeof(format::NameChunk) +
                         path_bytes + assets * sizeof(uint16_t);
  return round_up(sizeof(format::Header) + section(blocks * sizeof(format::Block)) +
                      section((assets + assets / 3 + 1) * sizeof(format::Slot)) +
                      section(assets * sizeof(format::Asset)) +
                      section(assets * sizeof(format::ContentHash)) + section(names),
                  kPageBytes);
}

}  // namespace seekless
