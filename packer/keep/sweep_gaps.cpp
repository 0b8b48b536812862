#include "packer/keep/sweep_gaps.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace seekless {
namespace {

// Where a scenario's sweep of a pack has come to.
struct Sweep {
  uint32_t end_block = 0;
  uint64_t bytes = 0;
};

// Where each block begins, and the end of the last.
std::vector<uint64_t> block_begins(const LaidPlaces& places) {
  std::vector<uint64_t> begins = {0};
  begins.reserve(places.block_raw_bytes.size() + 1);
  for (const uint32_t raw_bytes : places.block_raw_bytes)
    begins.push_back(begins.back() + raw_bytes);
  return begins;
}

// The block after the last one that an asset at `place` reaches into.
uint32_t end_block(const PlaceInPack& place, uint64_t size_bytes,
                   const std::vector<uint64_t>& begins) {
  const uint64_t end = begins[place.block] + place.offset_bytes + size_bytes;
  const auto at = std::ranges::lower_bound(begins, end);
  return static_cast<uint32_t>(at - begins.begin());
}

}  // namespace

uint64_t swept_bytes(const LaidPack& pack, const ReaderSets& sets, uint64_t read_through_bytes) {
  const LaidPlaces& places = *pack.places;
  const std::vector<uint64_t> begins = block_begins(places);
  std::vector<uint32_t> order;
  order.reserve(pack.assets.size());
  for (uint32_t i = 0; i < pack.assets.size(); ++i)
    if (pack.assets[i].size_bytes > 0) order.push_back(i);
  std::ranges::sort(order, {}, [&](uint32_t i) { return places.assets[i]; });
  std::unordered_map<uint32_t, Sweep> sweeps;  // by scenario
  for (const uint32_t i : order) {
    const PlaceInPack& place = places.assets[i];
    const uint32_t end = end_block(place, pack.assets[i].size_bytes, begins);
    for (const uint32_t reader : sets.readers(pack.assets[i].scenario_set)) {
      const auto [known, is_first] = sweeps.try_emplace(reader);
      Sweep& sweep = known->second;
      const uint32_t from = std::max(place.block, sweep.end_block);
      if (from >= end) continue;
      const uint64_t gap_bytes =
          is_first ? read_through_bytes : begins[from] - begins[sweep.end_block];
      sweep.bytes += std::min(gap_bytes, read_through_bytes) + begins[end] - begins[from];
      sweep.end_block = end;
    }
  }
  uint64_t bytes = 0;
  for (const auto& [reader, sweep] : sweeps) bytes += sweep.bytes;
  return bytes;
}

}  // namespace seekless
