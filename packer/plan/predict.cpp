#include "packer/plan/predict.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "packer/base/in_parallel.h"
#include "packer/base/none.h"
#include "packer/drive/cold_reader.h"
#include "packer/layout/placement.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

constexpr uint64_t kNameBytesPerAsset = 12;  // includes the overhead of packed names

// Models the front of a pack: the bytes that opening reads, then hashes for reading whole assets,
// then names. Blocks follow.
struct PackFront {
  uint64_t index_bytes = 0;
  uint64_t hashes_bytes = 0;
  uint64_t front_bytes = 0;

  PackFront(uint64_t assets, uint64_t blocks)
      : index_bytes(sizeof(format::Header) + blocks * sizeof(format::Block) +
                    assets * (sizeof(format::Asset) + sizeof(format::Slot) * 4 / 3)),
        hashes_bytes(assets * sizeof(format::ContentHash)),
        front_bytes(format::round_up(index_bytes + hashes_bytes + assets * kNameBytesPerAsset,
                                     format::kPageBytes)) {}
};

// Lists every copy of every asset in the order they lie, pack after pack. A sweep reads whole
// blocks.
class LaidItems {
 public:
  LaidItems(const DraftInput& input, const Draft& draft)
      : home_(input.content.assets.size(), kNone), of_scenario_(input.weights.size()) {
    file_bytes_.push_back(0);
    for (uint32_t pack = 0; pack < draft.packs.size(); ++pack) add_pack(input, draft, pack);
    const auto in_packs = std::ranges::count_if(home_, [](uint32_t item) { return item != kNone; });
    file_bytes_[0] = sizeof(format::Header) +
                     kCatalogBytesPerAsset * static_cast<uint64_t>(in_packs) +
                     kCatalogBytesPerPlace * count();
    for (const std::vector<uint32_t>& needs : of_scenario_)
      file_bytes_[0] += sizeof(format::Need) * runs_of(needs);
  }

  size_t count() const { return assets_.size(); }
  uint32_t asset(uint32_t item) const { return assets_[item]; }
  uint32_t pack(uint32_t item) const { return packs_[item]; }
  const PackFront& front(uint32_t pack) const { return fronts_[pack]; }
  // Returns the catalog's size, then each pack's.
  const std::vector<uint64_t>& file_bytes() const { return file_bytes_; }
  // Returns the offset in the pack's file.
  uint64_t at_bytes(uint32_t item) const { return at_bytes_[item]; }
  // These return where the item's blocks begin and end, counted from the end of the pack's front.
  uint64_t begin_bytes(uint32_t item) const { return begin_bytes_[item]; }
  uint64_t end_bytes(uint32_t item) const { return end_bytes_[item]; }
  uint64_t size_bytes(uint32_t item) const { return sizes_bytes_[item]; }
  // Returns the asset's first copy; kNone if it is in no pack.
  uint32_t home(uint32_t asset) const { return home_[asset]; }
  std::span<const uint32_t> of_scenario(uint32_t scenario) const { return of_scenario_[scenario]; }

 private:
  // Counts the runs of adjacent items.
  uint64_t runs_of(const std::vector<uint32_t>& needs) const {
    uint64_t runs = 0;
    for (size_t i = 0; i < needs.size(); ++i)
      runs += i == 0 || needs[i] != needs[i - 1] + 1 || pack(needs[i]) != pack(needs[i - 1]);
    return runs;
  }

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
    const PackFront& front = fronts_.emplace_back(to_place.size(), placement.blocks.size());
    file_bytes_.push_back(front.front_bytes + block_begins.back());
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
      at_bytes_.push_back(
          is_empty ? 0 : front.front_bytes + block_begins[place.block] + place.offset_bytes);
      end_bytes_.push_back(is_empty ? 0 : block_begins[place.block + blocks]);
      for (const uint32_t scenario : draft.sets[of.set]) of_scenario_[scenario].push_back(item);
    }
  }

  std::vector<uint32_t> assets_;
  std::vector<uint64_t> sizes_bytes_;
  std::vector<uint32_t> packs_;
  std::vector<PackFront> fronts_;     // indexed by pack
  std::vector<uint64_t> file_bytes_;  // the catalog's size, then each pack's
  std::vector<uint64_t> at_bytes_;
  std::vector<uint64_t> begin_bytes_;
  std::vector<uint64_t> end_bytes_;
  std::vector<uint32_t> home_;  // indexed by asset
  std::vector<std::vector<uint32_t>> of_scenario_;
};

// Returns the seconds of a sweep. It reads the catalog, and then, from each pack that holds a need,
// the tables and each need in turn.
double sweep_s(const DraftInput& input, const LaidItems& items, std::span<const uint32_t> needs) {
  const ReadCosts& costs = input.costs;
  double seconds = costs.arrival_s + costs.read_s(items.file_bytes().front());
  uint32_t pack = kNone;
  uint64_t end = 0;  // end of the read bytes in the pack
  for (const uint32_t item : needs) {
    if (items.size_bytes(item) == 0) continue;
    if (items.pack(item) != pack) {
      pack = items.pack(item);
      const PackFront& front = items.front(pack);
      seconds += costs.jump_s + costs.read_s(front.index_bytes) +
                 costs.gap_s(items.begin_bytes(item) + front.front_bytes - front.index_bytes);
      end = items.begin_bytes(item);
    }
    if (items.begin_bytes(item) > end) seconds += costs.gap_s(items.begin_bytes(item) - end);
    const uint64_t from = std::max(end, items.begin_bytes(item));
    if (items.end_bytes(item) > from) seconds += costs.read_s(items.end_bytes(item) - from);
    end = std::max(end, items.end_bytes(item));
  }
  return seconds;
}

// Computes, for one thread, which copies a run reads and the cost of that. Like the runtime, it
// reads the tables of each pack on first use.
class RunReader {
 public:
  RunReader(const DraftInput& input, const LaidItems& items)
      : items_(items),
        swept_(input.content.assets.size(), kNone),
        reader_(std::make_unique<ColdReader>(input.drive, items.file_bytes(), ReadAhead{},
                                             Drive::Turn::average)),
        known_(items.file_bytes().size() - 1) {}

  // `swept` lists the swept copies in the order they lie.
  LoadForecast read(std::span<const uint32_t> swept, const std::vector<NeededRun>& runs,
                    double sweep_seconds) {
    for (const uint32_t item : swept) swept_[items_.asset(item)] = item;
    LoadForecast sum;
    for (const NeededRun& run : runs) {
      copies_.clear();
      unseen_.clear();
      for (const uint32_t asset : run.assets()) {
        const bool is_swept = swept_[asset] != kNone;
        const uint32_t item = is_swept ? swept_[asset] : items_.home(asset);
        if (item == kNone) continue;
        copies_.push_back(item);
        if (!is_swept) unseen_.push_back(item);
      }
      sum.unseen_assets += static_cast<double>(unseen_.size());
      sum.sweep_s += sweep_seconds + unseen_s(swept);
      sum.demand_s += demand_s();
    }
    for (const uint32_t item : swept) swept_[items_.asset(item)] = kNone;
    return sum;
  }

 private:
  struct KnownTables {
    bool index = false;
    bool hashes = false;
  };

  double demand_s() {
    begin();
    reader_->read(0, 0, items_.file_bytes().front());
    return read_s(copies_);
  }

  // Returns the seconds for assets that the sweep didn't bring. The sweep has already opened its
  // packs, and has left the head among them.
  double unseen_s(std::span<const uint32_t> swept) {
    if (unseen_.empty()) return 0;
    begin();
    for (const uint32_t item : swept) know(items_.pack(item)).index = true;
    reader_->read(0, 0, 1);
    const double arrival_s = reader_->counters().busy_ms / 1000;
    return read_s(unseen_) - arrival_s;
  }

  void begin() {
    reader_->begin();
    for (const uint32_t pack : touched_) known_[pack] = {};
    touched_.clear();
  }

  KnownTables& know(uint32_t pack) {
    KnownTables& known = known_[pack];
    if (!known.index) touched_.push_back(pack);
    return known;
  }

  double read_s(const std::vector<uint32_t>& items) {
    for (const uint32_t item : items) {
      const uint32_t pack = items_.pack(item);
      const PackFront& front = items_.front(pack);
      KnownTables& known = know(pack);
      if (!std::exchange(known.index, true)) reader_->read(pack + 1, 0, front.index_bytes);
      if (items_.size_bytes(item) == 0) continue;
      if (!std::exchange(known.hashes, true))
        reader_->read(pack + 1, front.index_bytes, front.hashes_bytes);
      reader_->read(pack + 1, items_.at_bytes(item), items_.size_bytes(item));
    }
    return reader_->counters().busy_ms / 1000;
  }

  const LaidItems& items_;
  std::vector<uint32_t> swept_;  // indexed by asset: the copy that the sweep reads
  std::unique_ptr<ColdReader> reader_;
  std::vector<KnownTables> known_;  // indexed by pack
  std::vector<uint32_t> touched_;   // packs with an entry set in known_
  std::vector<uint32_t> copies_;    // copies that one run reads; unseen_ belongs to the same run
  std::vector<uint32_t> unseen_;
};

// Computes `count` forecasts in parallel by `sum(number, reader)`, with one reader for each thread.
template <typename Sum>
std::vector<LoadForecast> sum_each(const DraftInput& input, const LaidItems& items, size_t count,
                                   const Sum& sum) {
  const size_t threads = std::min(input.threads, std::max<size_t>(1, count));
  std::vector<RunReader> readers;
  for (size_t i = 0; i < threads; ++i) readers.emplace_back(input, items);
  std::vector<LoadForecast> sums(count);
  in_parallel(count, threads, [&](size_t number, size_t thread) {
    sums[number] = sum(static_cast<uint32_t>(number), readers[thread]);
  });
  return sums;
}

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

PredictedLoad to_predicted(const ReadCosts& costs, const LoadForecast& sum, double runs,
                           uint64_t needed_bytes) {
  return {.sweep_s = to_microseconds(sum.sweep_s / runs),
          .demand_s = to_microseconds(sum.demand_s / runs),
          .bound_s = to_microseconds(bound_s(costs, needed_bytes)),
          .needed_bytes = needed_bytes,
          .unseen_assets = to_microseconds(sum.unseen_assets / runs)};
}

std::vector<LoadForecast> forecast(const DraftInput& input, const Draft& draft,
                                   const RunsByScenario& runs) {
  const LaidItems items(input, draft);
  return sum_each(input, items, runs.size(), [&](uint32_t scenario, RunReader& reader) {
    const auto swept = items.of_scenario(scenario);
    return reader.read(swept, runs[scenario], sweep_s(input, items, swept));
  });
}

std::vector<LoadForecast> forecast_unknown(const DraftInput& input, const Draft& draft,
                                           const std::vector<std::vector<uint32_t>>& sweeps,
                                           const std::vector<NeededRun>& runs) {
  const LaidItems items(input, draft);
  return sum_each(input, items, sweeps.size(), [&](uint32_t number, RunReader& reader) {
    std::vector<uint32_t> swept;
    for (const uint32_t asset : sweeps[number])
      if (items.home(asset) != kNone) swept.push_back(items.home(asset));
    std::ranges::sort(swept);
    return reader.read(swept, runs, sweep_s(input, items, swept));
  });
}

}  // namespace seekless
