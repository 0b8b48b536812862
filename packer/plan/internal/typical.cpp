#include "packer/plan/internal/typical.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "packer/plan/internal/unrecorded_draft.h"
#include "packer/profile/maps.h"

namespace seekless {
namespace {

// Lists the shares of the maps to try, from all of them down to a fifth.
constexpr std::array kShares = {1.0, 0.9, 0.75, 0.6, 0.5, 0.4, 0.3, 0.2};
// Lists the shares to try if a map's own files tell the rest. There are few, because each needs a
// separate draft.
constexpr std::array kSharesWithMentioned = {1.0, 0.5};
// Sweeping the typical assets must save at least this share compared with asking for everything.
constexpr double kLeastShareWon = 0.05;

using Assets = std::vector<uint32_t>;

// Returns the assets that at least `share` of `maps` need, and at least two of them.
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

// Holds the needs as they would be without the recordings of some maps, and the runs left out.
struct LeftOut {
  Needs needs;
  std::vector<uint32_t> maps;   // maps that remain
  std::vector<NeededRun> runs;  // runs of the maps left out
  std::vector<uint32_t> of;     // indexed by run: its map's place in the list of all maps
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
    // Takes one run of each map, so that all maps count equally.
    if (!of_map.empty()) {
      left.runs.push_back(of_map[of_map.size() / 2]);
      left.of.push_back(i);
    }
    of_map.clear();
  }
  left.needs = with_runs(needs, std::move(runs), needs.ask_bytes);
  return left;
}

Assets both(const Assets& one, const Assets& other) {
  Assets sum;
  std::ranges::set_union(one, other, std::back_inserter(sum));
  return sum;
}

double bytes_of(const DraftInput& input, const NeededRun& run) {
  double bytes = 0;
  for (const uint32_t asset : run.assets())
    bytes += static_cast<double>(input.content.assets[asset].place.size_bytes);
  return bytes;
}

// Finds the typical scenario by leaving out maps in turn. All figures are means over the maps left
// out.
class TypicalFinder {
 public:
  TypicalFinder(const DraftInput& input, const Needs& needs, const std::vector<uint32_t>& maps,
                const MentionedByMaps& mentioned, uint32_t folds)
      : input_(input),
        needs_(needs),
        maps_(maps),
        mentioned_(mentioned),
        parts_(std::min(kMostParts, static_cast<uint32_t>(maps.size()))),
        folds_(std::min(folds, parts_)) {}

  Typical find() {
    Typical typical;
    for (uint32_t fold = 0; fold < folds_; ++fold) try_without(fold);
    if (runs_ == 0) return typical;
    const size_t alone = best_of(alone_);
    const size_t mentioned = best_of(mentioned_sums_);
    typical.load = mean_of(alone_[alone]);
    typical.needed_bytes = bytes_ / runs_;
    const double without_s = std::min(alone_[alone].sweep_s, beside_mentioned_[mentioned].sweep_s);
    typical.with_mentioned = !mentioned_.recorded.empty() &&
                             mentioned_sums_[mentioned].sweep_s < (1 - kLeastShareWon) * without_s;
    const LoadForecast& best = typical.with_mentioned ? mentioned_sums_[mentioned] : alone_[alone];
    if (best.sweep_s > (1 - kLeastShareWon) * best.demand_s) return typical;
    typical.share = typical.with_mentioned ? kSharesWithMentioned[mentioned] : kShares[alone];
    typical.assets = needed_by(input_, needs_, maps_, typical.share);
    typical.load =
        mean_of(typical.with_mentioned ? beside_mentioned_[mentioned] : load_with(typical.share));
    typical.mentioned_load = mean_of(best);
    return typical;
  }

 private:
  static constexpr uint32_t kMostParts = 5;

  template <size_t Size>
  static size_t best_of(const std::array<LoadForecast, Size>& sums) {
    const auto best = std::ranges::min_element(sums, {}, &LoadForecast::sweep_s);
    return static_cast<size_t>(best - sums.begin());
  }

  LoadForecast mean_of(const LoadForecast& sum) const {
    return {sum.sweep_s / runs_, sum.demand_s / runs_, sum.unseen_assets / runs_};
  }

  // Tries all shares on one draft without a typical scenario. The draft has no copies, so the
  // result doesn't depend on the budget.
  void try_without(uint32_t fold) {
    const LeftOut left = leave_out(needs_, maps_, fold, parts_);
    DraftInput input = input_;
    input.arrange.budget_bytes = 0;
    const Draft draft = make_draft(input, left.needs);
    std::vector<Assets> sweeps;
    for (const double share : kShares)
      sweeps.push_back(needed_by(input_, left.needs, left.maps, share));
    const std::vector<LoadForecast> loads = forecast_unknown(input_, draft, sweeps, left.runs);
    for (size_t i = 0; i < kShares.size(); ++i) alone_[i] += loads[i];
    runs_ += static_cast<double>(left.runs.size());
    for (const NeededRun& run : left.runs) bytes_ += bytes_of(input_, run);
    if (!mentioned_.recorded.empty())
      for (size_t i = 0; i < kSharesWithMentioned.size(); ++i) try_with_mentioned(left, draft, i);
  }

  // Lays out the left-out maps like unrecorded maps, with the assets that their files mention.
  void try_with_mentioned(const LeftOut& left, Draft draft, size_t number) {
    const Assets typical = needed_by(input_, left.needs, left.maps, kSharesWithMentioned[number]);
    std::vector<Assets> sweeps = {typical};
    for (const uint32_t map : left.of) sweeps.push_back(both(typical, mentioned_.recorded[map]));
    for (const Assets& assets : mentioned_.unrecorded) sweeps.push_back(both(typical, assets));
    lay_unrecorded(input_, sweeps, left.needs.scenario_count(), draft);
    DraftInput input = input_;
    input.weights.resize(input.weights.size() + sweeps.size());
    beside_mentioned_[number] += forecast_unknown(input, draft, {typical}, left.runs).front();
    RunsByScenario runs(left.needs.scenario_count() + 1);
    for (const NeededRun& run : left.runs) runs.push_back({run});
    for (const LoadForecast& load : forecast(input, draft, runs)) mentioned_sums_[number] += load;
  }

  // Returns the forecast with the typical scenario among the readers, as in the final layout.
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
  const MentionedByMaps& mentioned_;
  const uint32_t parts_;
  const uint32_t folds_;
  // Forecasts summed over all left-out runs, indexed by share.
  std::array<LoadForecast, kShares.size()> alone_;
  std::array<LoadForecast, kSharesWithMentioned.size()> mentioned_sums_;
  // Holds loads that sweep only the typical assets.
  std::array<LoadForecast, kSharesWithMentioned.size()> beside_mentioned_;
  double runs_ = 0;
  double bytes_ = 0;
};

}  // namespace

Typical find_typical(const DraftInput& input, const Needs& needs, const std::vector<uint32_t>& maps,
                     const MentionedByMaps& mentioned, uint32_t folds) {
  if (maps.size() < kFewestMaps || input.costs.jump_s == 0) return {};
  return TypicalFinder(input, needs, maps, mentioned, folds).find();
}

}  // namespace seekless
