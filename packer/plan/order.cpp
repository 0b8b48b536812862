#include "packer/plan/order.h"

#include <algorithm>
#include <array>

#include "packer/plan/internal/folds.h"
#include "packer/plan/internal/outlier_runs.h"
#include "packer/plan/internal/portfolio.h"
#include "packer/plan/internal/read_costs.h"
#include "packer/plan/internal/repair_polish.h"
#include "packer/plan/internal/small_polish.h"

namespace seekless {
namespace {

constexpr uint32_t kMostRounds = 3;
// With this many random restarts, 99 of 100 random problems of up to 9 assets end at the optimum.
constexpr uint32_t kKicks = 6;
// Polishing costs more than all the methods together. This many folds are enough to decide when to
// stop.
constexpr size_t kMostPolishedFolds = 2;
// This many held-out runs of a fold are enough to compare methods.
constexpr uint32_t kMostRunsHeldOut = 12;
constexpr double kMovesPerAsset = 1;

using LossByRounds = std::array<double, kMostRounds + 1>;

std::vector<uint32_t> without(const std::vector<uint32_t>& runs,
                              const std::vector<uint32_t>& dropped) {
  std::vector<uint32_t> kept;
  std::ranges::set_difference(runs, dropped, std::back_inserter(kept));
  return kept;
}

double weight_of(const RunSet& set, Runs runs) {
  double weight = 0;
  for (const uint32_t run : runs) weight += set.weight(run);
  return weight;
}

uint64_t bytes_of(const RunSet& set) {
  uint64_t bytes = 0;
  for (const uint64_t size : set.sizes_bytes()) bytes += std::min(size, UINT64_MAX - bytes);
  return bytes;
}

// Returns the distance within which bytes before or after the latest read may be in memory: the
// system's read-ahead window plus what the drive reads ahead.
uint64_t near_bytes(const DriveProfile& drive, const ReadAhead& read_ahead) {
  const auto* disk = std::get_if<HardDisk>(&drive.hardware);
  return read_ahead.max_bytes + (disk != nullptr ? disk->read_ahead_bytes : 0);
}

class OrderPlanner {
 public:
  OrderPlanner(const RunSet& set, std::vector<uint32_t> runs, const DriveProfile& drive,
               const OrderOptions& options)
      : set_(set),
        runs_(std::move(runs)),
        costs_(read_costs(drive, bytes_of(set))),
        near_bytes_(near_bytes(drive, options.demand.read_ahead)),
        options_(options),
        cost_(drive, options.demand),
        folds_(make_folds(set, runs_, options.seed)),
        can_judge_(!folds_.empty()) {
    if (!can_judge_) folds_ = {{runs_, runs_}};
  }

  void plan(OrderResult& result) {
    if (!options_.tries_methods) {
      result.order = portfolio_of(runs_).make(Portfolio::usual_method());
      return;
    }
    judge_methods(result);
    const size_t best = choose(result);
    Portfolio portfolio = portfolio_of(runs_);
    result.order = portfolio.make(best);
    result.bound_s = bound_s();
    // No order is faster for a single run than its own.
    if (options_.effort <= 0 || !can_judge_) return;
    if (is_small(set_, runs_))
      polish_small_one(result, best, portfolio.make_all());
    else
      polish_large_one(result, best);
  }

 private:
  Portfolio portfolio_of(Runs runs) { return {set_, runs, costs_, near_bytes_, cost_}; }

  double held_out_s(const Fold& fold, const Order& order) {
    return mean_run_s(set_, spread_of(fold.held_out, kMostRunsHeldOut), order, cost_);
  }

  void judge_methods(OrderResult& result) {
    for (const std::string_view method : Portfolio::methods())
      result.candidates.push_back({method, 0});
    double weights = 0;
    for (const Fold& fold : folds_) {
      const double weight = weight_of(set_, fold.held_out);
      weights += weight;
      trained_.push_back(portfolio_of(fold.train).make_all());
      for (size_t i = 0; i < result.candidates.size(); ++i)
        result.candidates[i].held_out_s += weight * held_out_s(fold, trained_.back()[i]);
    }
    for (CandidateFigure& each : result.candidates) each.held_out_s /= weights;
  }

  size_t choose(OrderResult& result) const {
    auto best = result.candidates.begin();
    if (can_judge_)
      best = std::ranges::min_element(result.candidates, {}, &CandidateFigure::held_out_s);
    result.method = best->method;
    result.held_out_s = best->held_out_s;
    result.first_seen_s = result.candidates.front().held_out_s;
    return static_cast<size_t>(best - result.candidates.begin());
  }

  // With so few assets there is little room to overfit, and too few reads to detect it, so all runs
  // count.
  void polish_small_one(OrderResult& result, size_t method, const std::vector<Order>& orders) {
    std::vector<Order> starts;
    for (const Order& order : orders)
      if (std::ranges::find(starts, order) == starts.end()) starts.push_back(order);
    result.order = polish_small(set_, runs_, starts, cost_, kKicks, options_.seed);
    result.polish_rounds = 1;
    double sum_s = 0;
    double weights = 0;
    for (size_t i = 0; i < folds_.size(); ++i) {
      const double weight = weight_of(set_, folds_[i].held_out);
      const std::span start(&trained_[i][method], 1);
      sum_s += weight * held_out_s(folds_[i], polish_small(set_, folds_[i].train, start, cost_, 0,
                                                           options_.seed));
      weights += weight;
    }
    result.held_out_s = sum_s / weights;
  }

  // Returns the seconds of the held-out runs before polishing and after each round, until they stop
  // falling.
  LossByRounds loss_by_rounds(const Fold& fold, Order order) {
    LossByRounds loss_s;
    loss_s.fill(held_out_s(fold, order));
    RepairPolish polish(set_, fold.train, cost_, most_moves());
    for (size_t round = 1; round <= kMostRounds && polish.improve(order); ++round) {
      std::fill(loss_s.begin() + static_cast<ptrdiff_t>(round), loss_s.end(),
                held_out_s(fold, order));
      if (loss_s[round] >= loss_s[round - 1]) break;
    }
    return loss_s;
  }

  // Polishes on all runs for the number of rounds that was best on held-out runs.
  void polish_large_one(OrderResult& result, size_t method) {
    LossByRounds sum_s = {};
    double weights = 0;
    for (size_t i = 0; i < std::min(folds_.size(), kMostPolishedFolds); ++i) {
      const double weight = weight_of(set_, folds_[i].held_out);
      weights += weight;
      const LossByRounds loss_s = loss_by_rounds(folds_[i], trained_[i][method]);
      for (size_t round = 0; round < sum_s.size(); ++round) sum_s[round] += weight * loss_s[round];
    }
    const auto best = std::ranges::min_element(sum_s);
    const auto rounds = static_cast<uint32_t>(best - sum_s.begin());
    RepairPolish polish(set_, runs_, cost_, most_moves());
    while (result.polish_rounds < rounds && polish.improve(result.order)) ++result.polish_rounds;
    // Assumes that the gain measured on some folds holds for all.
    result.held_out_s -= (sum_s[0] - *best) / weights;
  }

  uint32_t most_moves() const {
    return static_cast<uint32_t>(
        std::min(options_.effort * kMovesPerAsset * set_.asset_count(), 1e9));
  }

  double bound_s() const {
    double sum_s = 0;
    for (const uint32_t i : runs_) {
      double bytes = 0;
      for (const uint32_t asset : set_.run(i))
        bytes += static_cast<double>(set_.sizes_bytes()[asset]);
      if (bytes > 0) sum_s += set_.weight(i) * (costs_.jump_s + bytes / costs_.bytes_per_s);
    }
    return sum_s / weight_of(set_, runs_);
  }

  const RunSet& set_;
  std::vector<uint32_t> runs_;
  const ReadCosts costs_;
  const uint64_t near_bytes_;
  const OrderOptions& options_;
  DemandCost cost_;
  std::vector<Fold> folds_;
  bool can_judge_;
  std::vector<std::vector<Order>> trained_;  // indexed by fold and method
};

}  // namespace

OrderResult best_order(const OrderProblem& problem, const DriveProfile& drive,
                       const OrderOptions& options) {
  const RunSet set(problem.sizes_bytes, problem.runs, problem.run_weights);
  OrderResult result;
  result.method = "first-seen";
  std::vector<uint32_t> runs;
  for (uint32_t i = 0; i < set.run_count(); ++i)
    if (!set.run(i).empty() && set.weight(i) > 0) runs.push_back(i);
  result.outlier_runs = find_outlier_runs(set, runs);
  if (options.drop_outliers) runs = without(runs, result.outlier_runs);
  if (runs.empty())
    append_others(result.order, set.asset_count());
  else
    OrderPlanner(set, std::move(runs), drive, options).plan(result);
  return result;
}

}  // namespace seekless
