#include "packer/plan/internal/seldom_read.h"

#include <algorithm>
#include <array>
#include <utility>

#include "packer/plan/predict.h"

namespace seekless {
namespace {

// With fewer runs, too few remain beside a held-out one to show what is seldom read.
constexpr size_t kFewestRuns = 3;
// These are the costs, in jumps, that are tried for requesting one asset: almost 0 if the assets
// that a run asks for lie together, a whole jump if they don't.
constexpr std::array kAskJumps = {0.0, 0.01, 0.03, 0.1, 0.3, 1.0};
// A sweep leaves assets out only if that saves at least this share of its load. The next constant
// is the same limit for all loads together.
constexpr double kLeastWin = 0.03;
constexpr double kLeastWinOfAll = 0.01;

class SeldomFinder {
 public:
  SeldomFinder(const DraftInput& input, const Needs& needs, uint32_t folds)
      : input_(input), needs_(needs), folds_(folds), counts_(needs.readers.size()) {}

  // Tries each price for all scenarios at once, then combines each scenario's best price, because
  // the content that one scenario leaves out changes the places of others'.
  std::vector<SeldomRead> find() {
    if (input_.costs.jump_s == 0) return {};
    for (uint32_t scenario = 0; scenario < needs_.scenario_count(); ++scenario)
      if (may_win(scenario)) tried_.push_back(scenario);
    if (tried_.empty()) return {};
    const Trial swept =
        with_prices(std::vector<uint64_t>(needs_.scenario_count(), Needs::kNeverAsk));
    Trial best = swept;
    best.all_s *= 1 - kLeastWinOfAll;
    Trial of_each = swept;
    for (const uint32_t scenario : tried_) of_each.seconds[scenario] *= 1 - kLeastWin;
    for (const double jumps : kAskJumps) {
      std::vector<uint64_t> prices = swept.ask_bytes;
      for (const uint32_t scenario : tried_)
        prices[scenario] =
            static_cast<uint64_t>(jumps * static_cast<double>(input_.costs.break_even_bytes()));
      Trial trial = with_prices(std::move(prices));
      for (const uint32_t scenario : tried_) {
        if (trial.seconds[scenario] >= of_each.seconds[scenario]) continue;
        of_each.ask_bytes[scenario] = trial.ask_bytes[scenario];
        of_each.seconds[scenario] = trial.seconds[scenario];
      }
      if (trial.all_s < best.all_s) best = std::move(trial);
    }
    if (of_each.ask_bytes != best.ask_bytes)
      if (Trial trial = with_prices(of_each.ask_bytes); trial.all_s < best.all_s)
        best = std::move(trial);
    return told(swept, best);
  }

 private:
  struct ReadCount {
    uint64_t bytes = 0;
    uint32_t with = 0;  // number of runs that read the asset
    uint32_t without = 0;
  };

  // Counts, for each asset that the scenario's runs read, how many of the runs read it.
  std::vector<ReadCount> counts_of(uint32_t scenario) {
    const std::vector<NeededRun>& runs = needs_.runs[scenario];
    std::vector<ReadCount> counts;
    for_each_read(runs, counts_, [&](uint32_t asset, uint32_t with) {
      counts.push_back({size_bytes(asset), with, static_cast<uint32_t>(runs.size()) - with});
    });
    return counts;
  }

  uint64_t size_bytes(uint32_t asset) const {
    return input_.rules[asset].excluded ? 0 : input_.content.assets[asset].place.size_bytes;
  }

  // Estimates from bytes whether the scenario may gain, assuming that all assets that a run asks
  // for lie together.
  bool may_win(uint32_t scenario) {
    if (needs_.runs[scenario].size() < kFewestRuns) return false;
    const auto runs = static_cast<double>(needs_.runs[scenario].size());
    uint64_t needed_bytes = 0;
    double in_vain_bytes = 0;
    for (const ReadCount& of : counts_of(scenario)) {
      needed_bytes += of.bytes;
      in_vain_bytes += static_cast<double>(of.bytes) * of.without / runs;
    }
    const double won_s = in_vain_bytes / input_.costs.bytes_per_s - input_.costs.jump_s;
    return won_s > kLeastWin * bound_s(input_.costs, needed_bytes);
  }

  // Holds the seconds of loads with one price for each scenario: the mean of its held-out runs, or
  // of its only run.
  struct Trial {
    std::vector<uint64_t> ask_bytes;
    std::vector<double> seconds;
    double all_s = 0;  // weighted sum over all scenarios
  };

  Trial with_prices(std::vector<uint64_t> ask_bytes) const {
    Trial trial = {std::move(ask_bytes), std::vector<double>(needs_.scenario_count())};
    std::vector<double> runs(needs_.scenario_count());
    const uint32_t all_folds = fold_count(needs_);
    for (uint32_t fold = 0; fold < folds_; ++fold) {
      const Needs part = with_runs(needs_, left_runs(needs_, fold, all_folds), trial.ask_bytes);
      RunsByScenario out = held_out(needs_, fold, all_folds);
      if (fold == 0) {
        RunsByScenario single = single_runs(needs_);
        for (uint32_t scenario = 0; scenario < out.size(); ++scenario)
          if (!single[scenario].empty()) out[scenario] = std::move(single[scenario]);
      }
      const std::vector<LoadForecast> loads = forecast(input_, make_draft(input_, part), out);
      for (uint32_t scenario = 0; scenario < out.size(); ++scenario) {
        trial.seconds[scenario] += loads[scenario].sweep_s;
        runs[scenario] += static_cast<double>(out[scenario].size());
      }
    }
    for (uint32_t scenario = 0; scenario < runs.size(); ++scenario) {
      if (runs[scenario] > 0) trial.seconds[scenario] /= runs[scenario];
      trial.all_s += input_.weights[scenario] * trial.seconds[scenario];
    }
    return trial;
  }

  std::vector<SeldomRead> told(const Trial& swept, const Trial& chosen) {
    std::vector<SeldomRead> found;
    for (const uint32_t scenario : tried_) {
      if (chosen.ask_bytes[scenario] == Needs::kNeverAsk) continue;
      SeldomRead of = {.scenario = scenario,
                       .ask_bytes = chosen.ask_bytes[scenario],
                       .all_swept_s = swept.seconds[scenario],
                       .left_to_ask_s = chosen.seconds[scenario]};
      count_left(of);
      if (of.assets > 0) found.push_back(of);
    }
    return found;
  }

  void count_left(SeldomRead& of) {
    uint64_t read_bytes = 0;
    for (const ReadCount& count : counts_of(of.scenario)) {
      if (is_swept(count.bytes, count.with, count.without, of.ask_bytes)) continue;
      ++of.assets;
      of.left_bytes += count.bytes;
      read_bytes += count.bytes * count.with;
    }
    of.read_bytes = read_bytes / needs_.runs[of.scenario].size();
  }

  const DraftInput& input_;
  const Needs& needs_;
  const uint32_t folds_;
  std::vector<uint32_t> counts_;  // indexed by asset; all zero except while runs are counted
  std::vector<uint32_t> tried_;   // scenarios, ascending
};

}  // namespace

std::vector<SeldomRead> find_seldom_read(const DraftInput& input, const Needs& needs,
                                         uint32_t folds) {
  return SeldomFinder(input, needs, folds).find();
}

}  // namespace seekless
