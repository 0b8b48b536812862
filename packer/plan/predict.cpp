#include "packer/plan/predict.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "packer/host/in_parallel.h"
#include "packer/host/none.h"
#include "packer/layout/placement.h"
#include "packer/plan/demand_cost.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

// What opening takes of a pack's tables, and what lies between them and the data (hashes, names).
constexpr uint64_t kIndexBytesPerAsset = sizeof(format::Asset) + sizeof(format::Slot) * 4 / 3;
constexpr uint64_t kNameBytesPerAsset = sizeof(format::ContentHash) + 12;
constexpr uint64_t kCatalogBytesPerAsset =
    sizeof(format::CatalogAsset) + sizeof(format::Slot) * 4 / 3 + sizeof(format::Place);

// Every copy of every asset, as they lie: pack after pack. A sweep reads whole blocks.
class LaidItems {
 public:
  LaidItems(const DraftInput& input, const Draft& draft)
      : home_(input.content.assets.size(), kNone), of_scenario_(input.weights.size()) {
    for (uint32_t pack = 0; pack < draft.packs.size(); ++pack) add_pack(input, draft, pack);
  }

  size_t count() const { return assets_.size(); }
  const std::vector<uint64_t>& sizes_bytes() const { return sizes_bytes_; }
  uint32_t asset(uint32_t item) const { return assets_[item]; }
  uint32_t pack(uint32_t item) const { return packs_[item]; }
  // Of its blocks, in its pack.
  uint64_t begin_bytes(uint32_t item) const { return begin_bytes_[item]; }
  uint64_t end_bytes(uint32_t item) const { return end_bytes_[item]; }
  uint64_t size_bytes(uint32_t item) const { return sizes_bytes_[item]; }
  // Its first copy; kNone if it is in no pack.
  uint32_t home(uint32_t asset) const { return home_[asset]; }
  std::span<const uint32_t> of_scenario(uint32_t scenario) const { return of_scenario_[scenario]; }

 private:
  void add_pack(const DraftInput& input, const Draft& draft, uint32_t pack) {
    std::vector<AssetToPlace> to_place;
    for (const DraftAsset& of : draft.packs[pack].assets)
      to_place.push_back({input.content.assets[of.asset].place.size_bytes,
                          input.rules[of.asset].alignment_bytes,
                          static_cast<uint32_t>(to_place.size()), of.set});
    const Placement placement = place_assets(to_place, input.block_bytes);
    std::vector<uint64_t> block_begins = {0};
    for (const PlacedBlock& block : placement.blocks)
      block_begins.push_back(block_begins.back() +
                             format::round_up(block.raw_bytes, format::kPageBytes));
    for (size_t i = 0; i < to_place.size(); ++i) {
      const DraftAsset& of = draft.packs[pack].assets[i];
      const AssetPlace& place = placement.places[i];
      const auto item = static_cast<uint32_t>(assets_.size());
      if (home_[of.asset] == kNone) home_[of.asset] = item;
      assets_.push_back(of.asset);
      sizes_bytes_.push_back(to_place[i].size_bytes);
      packs_.push_back(pack);
      const uint64_t bytes = place.offset_bytes + to_place[i].size_bytes;
      const uint64_t blocks = (bytes + input.block_bytes - 1) / input.block_bytes;
      const bool is_empty = to_place[i].size_bytes == 0;
      begin_bytes_.push_back(is_empty ? 0 : block_begins[place.block]);
      end_bytes_.push_back(is_empty ? 0 : block_begins[place.block + blocks]);
      for (const uint32_t scenario : draft.sets[of.set]) of_scenario_[scenario].push_back(item);
    }
  }

  std::vector<uint32_t> assets_;
  std::vector<uint64_t> sizes_bytes_;
  std::vector<uint32_t> packs_;
  std::vector<uint64_t> begin_bytes_;
  std::vector<uint64_t> end_bytes_;
  std::vector<uint32_t> home_;  // by asset
  std::vector<std::vector<uint32_t>> of_scenario_;
};

// The catalog, then each pack with something in it: its tables, and from need to need.
double sweep_s(const DraftInput& input, const Draft& draft, const LaidItems& items,
               uint32_t scenario) {
  const ReadCosts& costs = input.costs;
  const auto needs = items.of_scenario(scenario);
  double seconds = costs.arrival_s + costs.read_s(kCatalogBytesPerAsset * items.count());
  uint32_t pack = kNone;
  uint64_t end = 0;  // in the pack
  for (const uint32_t item : needs) {
    if (items.size_bytes(item) == 0) continue;
    if (items.pack(item) != pack) {
      pack = items.pack(item);
      const uint64_t assets = draft.packs[pack].assets.size();
      seconds += costs.jump_s + costs.read_s(kIndexBytesPerAsset * assets) +
                 costs.gap_s(items.begin_bytes(item) + kNameBytesPerAsset * assets);
      end = items.begin_bytes(item);
    }
    if (items.begin_bytes(item) > end) seconds += costs.gap_s(items.begin_bytes(item) - end);
    const uint64_t from = std::max(end, items.begin_bytes(item));
    if (items.end_bytes(item) > from) seconds += costs.read_s(items.end_bytes(item) - from);
    end = std::max(end, items.end_bytes(item));
  }
  return seconds;
}

// One thread's way from assets to the copies that a scenario reads.
class RunReader {
 public:
  RunReader(const DraftInput& input, const LaidItems& items)
      : input_(input),
        items_(items),
        swept_(input.content.assets.size(), kNone),
        demand_(input.costs, {}) {
    std::vector<uint32_t> as_they_lie(items.count());
    std::iota(as_they_lie.begin(), as_they_lie.end(), 0U);
    demand_.lay(items.sizes_bytes(), as_they_lie);
  }

  LoadForecast read(uint32_t scenario, const std::vector<std::vector<uint32_t>>& runs,
                    double sweep_seconds) {
    for (const uint32_t item : items_.of_scenario(scenario)) swept_[items_.asset(item)] = item;
    LoadForecast sum;
    for (const std::vector<uint32_t>& run : runs) {
      sum.sweep_s += sweep_seconds;
      copies_.clear();
      for (const uint32_t asset : run) {
        const bool is_swept = swept_[asset] != kNone;
        const uint32_t item = is_swept ? swept_[asset] : items_.home(asset);
        if (item == kNone) continue;
        copies_.push_back(item);
        if (is_swept) continue;
        ++sum.unseen_assets;
        sum.sweep_s += input_.costs.jump_s + input_.costs.read_s(items_.size_bytes(item));
      }
      sum.demand_s += demand_.run_s(copies_);
    }
    for (const uint32_t item : items_.of_scenario(scenario)) swept_[items_.asset(item)] = kNone;
    return sum;
  }

 private:
  const DraftInput& input_;
  const LaidItems& items_;
  std::vector<uint32_t> swept_;  // by asset: the copy that the sweep brings
  DemandCost demand_;
  std::vector<uint32_t> copies_;
};

}  // namespace

LoadForecast& LoadForecast::operator+=(const LoadForecast& other) {
  sweep_s += other.sweep_s;
  demand_s += other.demand_s;
  unseen_assets += other.unseen_assets;
  return *this;
}

double to_microseconds(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

double bound_s(const ReadCosts& costs, uint64_t needed_bytes) {
  return costs.arrival_s + costs.read_s(needed_bytes);
}

std::vector<LoadForecast> forecast(const DraftInput& input, const Draft& draft,
                                   const std::vector<std::vector<std::vector<uint32_t>>>& runs) {
  const LaidItems items(input, draft);
  std::vector<LoadForecast> sums(runs.size());
  const size_t threads = std::min(input.threads, std::max<size_t>(1, runs.size()));
  std::vector<RunReader> readers;
  for (size_t i = 0; i < threads; ++i) readers.emplace_back(input, items);
  in_parallel(runs.size(), threads, [&](size_t number, size_t thread) {
    const auto scenario = static_cast<uint32_t>(number);
    sums[number] =
        readers[thread].read(scenario, runs[number], sweep_s(input, draft, items, scenario));
  });
  return sums;
}

}  // namespace seekless
