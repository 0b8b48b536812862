#include "packer/plan/seldom_read.h"

#include <algorithm>
#include <array>
#include <utility>

#include "packer/plan/predict.h"

namespace seekless {
namespace {

// Of fewer runs one that is left out has too few beside it to say what is seldom read.
constexpr size_t kFewestRuns = 3;
constexpr std::array kLeastShares = {0.25, 0.5, 0.75, 1.0};
// Of a load, that has to be won.
constexpr double kLeastWin = 0.03;

class SeldomFinder {
 public:
  SeldomFinder(const DraftInput& input, const Needs& needs, uint32_t folds)
      : input_(input), needs_(needs), folds_(folds), counts_(needs.readers.size()) {}

  std::vector<SeldomRead> find() {
    if (input_.costs.jump_s == 0) return {};
    for (uint32_t scenario = 0; scenario < needs_.scenario_count(); ++scenario)
      if (may_win(scenario)) tried_.push_back(scenario);
    if (tried_.empty()) return {};
    const std::vector<LoadForecast> swept = held_out_loads(0);
    std::vector<SeldomRead> best(tried_.size());
    for (const double share : kLeastShares) {
      const std::vector<LoadForecast> loads = held_out_loads(share);
      for (size_t i = 0; i < tried_.size(); ++i) {
        const uint32_t scenario = tried_[i];
        const bool is_first = best[i].least_share == 0;
        const double most_s =
            is_first ? (1 - kLeastWin) * swept[scenario].sweep_s : best[i].left_to_ask_s;
        if (loads[scenario].sweep_s >= most_s) continue;
        best[i] = {.scenario = scenario,
                   .least_share = share,
                   .all_swept_s = swept[scenario].sweep_s,
                   .left_to_ask_s = loads[scenario].sweep_s};
      }
    }
    std::erase_if(best, [](const SeldomRead& of) { return of.least_share == 0; });
    for (SeldomRead& of : best) finish(of);
    return best;
  }

 private:
  struct Left {
    uint64_t assets = 0;
    uint64_t bytes = 0;
    uint64_t read_bytes = 0;  // by a run; mean
  };
  struct Count {
    uint64_t bytes = 0;
    uint32_t runs = 0;
  };

  uint64_t size_bytes(uint32_t asset) const {
    return input_.rules[asset].excluded ? 0 : input_.content.assets[asset].place.size_bytes;
  }

  // What the scenario's runs read, and by how many.
  std::vector<Count> counts_of(uint32_t scenario) {
    for (const NeededRun& run : needs_.runs[scenario])
      for (const uint32_t asset : run.assets()) ++counts_[asset];
    std::vector<Count> counts;
    for (const NeededRun& run : needs_.runs[scenario])
      for (const uint32_t asset : run.assets())
        if (const uint32_t runs = std::exchange(counts_[asset], 0); runs > 0)
          counts.push_back({size_bytes(asset), runs});
    return counts;
  }

  // What fewer than `share` of the runs read.
  Left left_by(const std::vector<Count>& counts, uint32_t scenario, double share) const {
    const size_t runs = needs_.runs[scenario].size();
    Left left;
    for (const Count& of : counts) {
      if (of.runs >= fewest_runs(share, runs)) continue;
      ++left.assets;
      left.bytes += of.bytes;
      left.read_bytes += of.bytes * of.runs;
    }
    left.read_bytes /= runs;
    return left;
  }

  // By bytes, if what a run reads of them lay together.
  bool may_win(uint32_t scenario) {
    if (needs_.runs[scenario].size() < kFewestRuns) return false;
    const std::vector<Count> counts = counts_of(scenario);
    uint64_t all_bytes = 0;
    for (const Count& of : counts) all_bytes += of.bytes;
    const double least_s = kLeastWin * bound_s(input_.costs, all_bytes);
    return std::ranges::any_of(kLeastShares, [&](double share) {
      const Left left = left_by(counts, scenario, share);
      return input_.costs.read_s(left.bytes - left.read_bytes) - input_.costs.jump_s > least_s;
    });
  }

  // Means, by scenario, of those that are tried.
  std::vector<LoadForecast> held_out_loads(double share) const {
    std::vector<LoadForecast> sums(needs_.scenario_count());
    std::vector<double> runs(needs_.scenario_count());
    const uint32_t all_folds = fold_count(needs_);
    for (uint32_t fold = 0; fold < folds_; ++fold) {
      Needs part = needs_without(needs_, fold, all_folds);
      part.least_share.resize(needs_.scenario_count());
      for (const uint32_t scenario : tried_) part.least_share[scenario] = share;
      part.find_readers();
      const RunsByScenario all_out = held_out(needs_, fold, all_folds);
      RunsByScenario out(needs_.scenario_count());
      for (const uint32_t scenario : tried_) out[scenario] = all_out[scenario];
      const std::vector<LoadForecast> loads = forecast(input_, make_draft(input_, part), out);
      for (const uint32_t scenario : tried_) {
        sums[scenario] += loads[scenario];
        runs[scenario] += static_cast<double>(out[scenario].size());
      }
    }
    for (const uint32_t scenario : tried_) sums[scenario].sweep_s /= runs[scenario];
    return sums;
  }

  void finish(SeldomRead& of) {
    const Left left = left_by(counts_of(of.scenario), of.scenario, of.least_share);
    of.assets = left.assets;
    of.left_bytes = left.bytes;
    of.read_bytes = left.read_bytes;
  }

  const DraftInput& input_;
  const Needs& needs_;
  const uint32_t folds_;
  std::vector<uint32_t> counts_;  // by asset, zero but while runs are counted
  std::vector<uint32_t> tried_;   // scenarios, rising
};

}  // namespace

std::vector<SeldomRead> find_seldom_read(const DraftInput& input, const Needs& needs,
                                         uint32_t folds) {
  return SeldomFinder(input, needs, folds).find();
}

}  // namespace seekless
