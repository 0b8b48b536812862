#include "packer/keep/sweep_gaps.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

namespace seekless {
namespace {

// Returns the beginning of each block, counted from `begin_bytes`, and the end of the last one.
std::vector<uint64_t> block_begins(const LaidPlaces& places, uint64_t begin_bytes) {
  std::vector<uint64_t> begins = {begin_bytes};
  begins.reserve(places.block_raw_bytes.size() + 1);
  for (const uint32_t raw_bytes : places.block_raw_bytes)
    begins.push_back(begins.back() + raw_bytes);
  return begins;
}

// Sums the bytes that all scenarios sweep of the added packs, which lie one after another.
class AddedSweeps {
 public:
  // Sweeps start at `begin_bytes`; if that is empty, they come from far away.
  AddedSweeps(uint64_t read_through_bytes, std::optional<uint64_t> begin_bytes)
      : read_through_bytes_(read_through_bytes), begin_bytes_(begin_bytes) {}

  void add(const LaidPack& pack, const ReaderSets& sets) {
    const LaidPlaces& places = *pack.places;
    const auto begins = block_begins(places, end_bytes_ + places.data_offset_bytes);
    end_bytes_ = begins.back();
    std::vector<uint32_t> order;
    order.reserve(pack.assets.size());
    for (uint32_t i = 0; i < pack.assets.size(); ++i)
      if (pack.assets[i].size_bytes > 0) order.push_back(i);
    std::ranges::sort(order, {}, [&](uint32_t i) { return places.assets[i]; });
    for (const uint32_t i : order) {
      const PlaceInPack& place = places.assets[i];
      const uint64_t begin = begins[place.block];
      // Takes the end of the last block that the asset reaches into.
      const uint64_t end =
          *std::ranges::lower_bound(begins, begin + place.offset_bytes + pack.assets[i].size_bytes);
      for (const uint32_t reader : sets.readers(pack.assets[i].scenario_set))
        sweep(reader, begin, end);
    }
  }

  uint64_t bytes() const { return bytes_; }

 private:
  void sweep(uint32_t reader, uint64_t begin, uint64_t end) {
    const auto [known, is_first] = ends_.try_emplace(reader, begin_bytes_.value_or(0));
    const bool comes_from_afar = is_first && !begin_bytes_;
    const uint64_t from = std::max(begin, known->second);
    if (from >= end) return;
    const uint64_t gap_bytes = comes_from_afar ? read_through_bytes_ : from - known->second;
    bytes_ += std::min(gap_bytes, read_through_bytes_) + end - from;
    known->second = end;
  }

  const uint64_t read_through_bytes_;
  const std::optional<uint64_t> begin_bytes_;
  std::unordered_map<uint32_t, uint64_t> ends_;  // indexed by scenario: the end of its sweep so far
  uint64_t end_bytes_ = 0;                       // end of the last pack
  uint64_t bytes_ = 0;
};

}  // namespace

uint64_t swept_bytes(const LaidPack& pack, const ReaderSets& sets, uint64_t read_through_bytes) {
  AddedSweeps swept(read_through_bytes, std::nullopt);
  swept.add(pack, sets);
  return swept.bytes();
}

uint64_t swept_bytes(const Layout& layout) {
  std::vector<std::vector<uint32_t>> recorded = layout.scenario_sets;
  for (std::vector<uint32_t>& readers : recorded)
    std::erase_if(readers, [&](uint32_t reader) { return layout.scenarios[reader].runs == 0; });
  const ReaderSets sets(recorded);
  AddedSweeps swept(layout.read_through_bytes, 0);
  for (const LaidPack& pack : layout.packs) swept.add(pack, sets);
  return swept.bytes();
}

}  // namespace seekless
