#include "packer/plan/seldom_read.h"

#include <algorithm>
#include <array>
#include <utility>

#include "packer/plan/predict.h"

namespace seekless {
namespace {

// Of fewer runs, one that is left out has too few beside it to say what is seldom read.
constexpr size_t kFewestRuns = 3;
// What asking for an asset may cost, in jumps: next to nothing where those that a run asks for lie
// together, a whole one where they don't.
constexpr std::array kAskJumps = {0.0, 0.01, 0.03, 0.1, 0.3, 1.0};
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
    const std::vector<double> swept_s = held_out_loads(Needs::kNeverAsk);
    std::vector<SeldomRead> best;
    for (size_t i = 0; i < tried_.size(); ++i)
      best.push_back({.scenario = tried_[i],
                      .all_swept_s = swept_s[i],
                      .left_to_ask_s = (1 - kLeastWin) * swept_s[i]});
    for (const double jumps : kAskJumps) {
      const auto ask_bytes =
          static_cast<uint64_t>(jumps * static_cast<double>(input_.costs.break_even_bytes()));
      const std::vector<double> seconds = held_out_loads(ask_bytes);
      for (size_t i = 0; i < tried_.size(); ++i) {
        if (seconds[i] >= best[i].left_to_ask_s) continue;
        best[i].ask_bytes = ask_bytes;
        best[i].left_to_ask_s = seconds[i];
      }
    }
    std::erase_if(best, [](const SeldomRead& of) { return of.ask_bytes == Needs::kNeverAsk; });
    for (SeldomRead& of : best) finish(of);
    return best;
  }

 private:
  struct Count {
    uint64_t bytes = 0;
    uint32_t with = 0;  // runs that read it
    uint32_t without = 0;
  };

  // What the scenario's runs read, each asset once.
  std::vector<Count> counts_of(uint32_t scenario) {
    const std::vector<NeededRun>& runs = needs_.runs[scenario];
    for (const NeededRun& run : runs)
      for (const uint32_t asset : run.assets()) ++counts_[asset];
    std::vector<Count> counts;
    for (const NeededRun& run : runs)
      for (const uint32_t asset : run.assets())
        if (const uint32_t with = std::exchange(counts_[asset], 0); with > 0)
          counts.push_back({size_bytes(asset), with, static_cast<uint32_t>(runs.size()) - with});
    return counts;
  }

  uint64_t size_bytes(uint32_t asset) const {
    return input_.rules[asset].excluded ? 0 : input_.content.assets[asset].place.size_bytes;
  }

  // By bytes, if all that a run asks for lay together.
  bool may_win(uint32_t scenario) {
    if (needs_.runs[scenario].size() < kFewestRuns) return false;
    const auto runs = static_cast<double>(needs_.runs[scenario].size());
    uint64_t all_bytes = 0;
    double in_vain_bytes = 0;
    for (const Count& of : counts_of(scenario)) {
      all_bytes += of.bytes;
      in_vain_bytes += static_cast<double>(of.bytes) * of.without / runs;
    }
    const double won_s = in_vain_bytes / input_.costs.bytes_per_s - input_.costs.jump_s;
    return won_s > kLeastWin * bound_s(input_.costs, all_bytes);
  }

  // Seconds of a load, by number in `tried_`; means of what is held out.
  std::vector<double> held_out_loads(uint64_t ask_bytes) const {
    std::vector<double> seconds(tried_.size());
    std::vector<double> runs(tried_.size());
    const uint32_t all_folds = fold_count(needs_);
    for (uint32_t fold = 0; fold < folds_; ++fold) {
      Needs part = needs_without(needs_, fold, all_folds);
      part.ask_bytes.resize(needs_.scenario_count(), Needs::kNeverAsk);
      for (const uint32_t scenario : tried_) part.ask_bytes[scenario] = ask_bytes;
      part.find_readers();
      RunsByScenario all_out = held_out(needs_, fold, all_folds);
      RunsByScenario out(needs_.scenario_count());
      for (const uint32_t scenario : tried_) out[scenario] = std::move(all_out[scenario]);
      const std::vector<LoadForecast> loads = forecast(input_, make_draft(input_, part), out);
      for (size_t i = 0; i < tried_.size(); ++i) {
        seconds[i] += loads[tried_[i]].sweep_s;
        runs[i] += static_cast<double>(out[tried_[i]].size());
      }
    }
    for (size_t i = 0; i < tried_.size(); ++i) seconds[i] /= runs[i];
    return seconds;
  }

  void finish(SeldomRead& of) {
    uint64_t read_bytes = 0;
    for (const Count& count : counts_of(of.scenario)) {
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
  std::vector<uint32_t> counts_;  // by asset, zero but while runs are counted
  std::vector<uint32_t> tried_;   // scenarios, rising
};

}  // namespace

std::vector<SeldomRead> find_seldom_read(const DraftInput& input, const Needs& needs,
                                         uint32_t folds) {
  return SeldomFinder(input, needs, folds).find();
}

}  // namespace seekless
