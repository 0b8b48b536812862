#include "packer/plan/typical.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "packer/profile/maps.h"

namespace seekless {
namespace {

// From what all maps need to what a fifth does.
constexpr std::array kShares = {1.0, 0.9, 0.75, 0.6, 0.5, 0.4, 0.3, 0.2};
// A sweep of another's needs has to win so much over asking for everything.
constexpr double kLeastShareWon = 0.05;

using Assets = std::vector<uint32_t>;

// Those that at least `share` of `maps` need, and two of them.
Assets needed_by(const DraftInput& input, const Needs& needs, const std::vector<uint32_t>& maps,
                 double share) {
  std::vector<uint8_t> is_map(needs.scenario_count());
  for (const uint32_t map : maps) is_map[map] = 1;
  const auto fewest = std::max<size_t>(
      2, static_cast<size_t>(std::ceil(share * static_cast<double>(maps.size()) - 1e-9)));
  Assets assets;
  for (uint32_t asset = 0; asset < needs.readers.size(); ++asset) {
    if (input.rules[asset].excluded) continue;
    const auto readers = std::ranges::count_if(
        needs.readers[asset], [&](uint32_t reader) { return is_map[reader] != 0; });
    if (static_cast<size_t>(readers) >= fewest) assets.push_back(asset);
  }
  return assets;
}

// As if the maps of one part had never been recorded.
struct LeftOut {
  Needs needs;
  std::vector<uint32_t> maps;   // that are left
  std::vector<NeededRun> runs;  // of the others
};

LeftOut leave_out(const Needs& needs, const std::vector<uint32_t>& maps, uint32_t fold,
                  uint32_t folds) {
  LeftOut left;
  RunsByScenario runs = needs.runs;
  for (uint32_t i = 0; i < maps.size(); ++i) {
    if (i % folds != fold) {
      left.maps.push_back(maps[i]);
      continue;
    }
    std::vector<NeededRun>& of_map = runs[maps[i]];
    // One run of each, so that no map counts for more than another.
    if (!of_map.empty()) left.runs.push_back(of_map[of_map.size() / 2]);
    of_map.clear();
  }
  left.needs = with_runs(needs, std::move(runs), needs.ask_bytes);
  return left;
}

double bytes_of(const DraftInput& input, const NeededRun& run) {
  double bytes = 0;
  for (const uint32_t asset : run.assets())
    bytes += static_cast<double>(input.content.assets[asset].place.size_bytes);
  return bytes;
}

// Means over maps that are left out.
class TypicalFinder {
 public:
  TypicalFinder(const DraftInput& input, const Needs& needs, const std::vector<uint32_t>& maps,
                uint32_t folds)
      : input_(input),
        needs_(needs),
        maps_(maps),
        parts_(std::min(kMostParts, static_cast<uint32_t>(maps.size()))),
        folds_(std::min(folds, parts_)) {}

  Typical find() {
    Typical typical;
    const size_t best = best_share();
    if (runs_ == 0) return typical;
    typical.load = mean_of(sums_[best]);
    typical.needed_bytes = bytes_ / runs_;
    if (sums_[best].sweep_s > (1 - kLeastShareWon) * sums_[best].demand_s) return typical;
    typical.share = kShares[best];
    typical.assets = needed_by(input_, needs_, maps_, typical.share);
    typical.load = mean_of(load_with(typical.share));
    return typical;
  }

 private:
  static constexpr uint32_t kMostParts = 5;

  LoadForecast mean_of(const LoadForecast& sum) const {
    return {sum.sweep_s / runs_, sum.demand_s / runs_, sum.unseen_assets / runs_};
  }

  // All of them on the same drafts, which no typical scenario has a say in.
  size_t best_share() {
    for (uint32_t fold = 0; fold < folds_; ++fold) {
      const LeftOut left = leave_out(needs_, maps_, fold, parts_);
      std::vector<Assets> sweeps;
      for (const double share : kShares)
        sweeps.push_back(needed_by(input_, left.needs, left.maps, share));
      const std::vector<LoadForecast> loads =
          forecast_unknown(input_, make_draft(input_, left.needs), sweeps, left.runs);
      for (size_t i = 0; i < kShares.size(); ++i) sums_[i] += loads[i];
      runs_ += static_cast<double>(left.runs.size());
      for (const NeededRun& run : left.runs) bytes_ += bytes_of(input_, run);
    }
    const auto best = std::ranges::min_element(sums_, {}, &LoadForecast::sweep_s);
    return static_cast<size_t>(best - sums_.begin());
  }

  // With the typical scenario among the readers, as the layout will have it.
  LoadForecast load_with(double share) const {
    DraftInput input = input_;
    input.weights.push_back(1);
    input.sub_names.emplace_back("typical");
    LoadForecast sum;
    for (uint32_t fold = 0; fold < folds_; ++fold) {
      LeftOut left = leave_out(needs_, maps_, fold, parts_);
      const Assets assets = needed_by(input, left.needs, left.maps, share);
      left.needs.add_reader(assets);
      sum += forecast_unknown(input, make_draft(input, left.needs), {assets}, left.runs).front();
    }
    return sum;
  }

  const DraftInput& input_;
  const Needs& needs_;
  const std::vector<uint32_t>& maps_;
  const uint32_t parts_;
  const uint32_t folds_;
  std::array<LoadForecast, kShares.size()> sums_;  // of all runs that are left out, by share
  double runs_ = 0;
  double bytes_ = 0;
};

}  // namespace

Typical find_typical(const DraftInput& input, const Needs& needs, const std::vector<uint32_t>& maps,
                     uint32_t folds) {
  if (maps.size() < kFewestMaps || input.costs.jump_s == 0) return {};
  return TypicalFinder(input, needs, maps, folds).find();
}

}  // namespace seekless
