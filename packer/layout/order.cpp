#include "packer/layout/order.h"

#include <algorithm>
#include <array>
#include <limits>

#include "packer/layout/aligned_order.h"
#include "packer/layout/folds.h"
#include "packer/layout/medoid_order.h"
#include "packer/layout/outlier_runs.h"
#include "packer/layout/rank_orders.h"

namespace seekless {
namespace {

struct Candidate {
  std::string_view method;
  Order order;
};

// Of equal ones the first wins, so the plainest come first.
std::vector<Candidate> make_candidates(const RunSet& set, Runs runs, const ReadCosts& costs,
                                       const OrderOptions& options, DemandCost& cost) {
  std::vector<Candidate> made;
  made.push_back({"first-seen", first_seen_order(set, runs)});
  made.push_back({"mean rank", mean_rank_order(set, runs)});
  made.push_back({"median rank", median_rank_order(set, runs)});
  made.push_back({"medoid", run_with_others_inserted(set, medoid_run(set, runs, cost), runs)});
  made.push_back({"aligned", aligned_order(set, runs, made.back().order)});
  made.push_back({"aligned, strays last", with_strays_last(set, runs, made.back().order, costs,
                                                           options.demand.cache_bytes)});
  return made;
}

// Weighted means over the runs held out, each read in orders made without it.
std::vector<CandidateFigure> judge(const RunSet& set, const std::vector<Fold>& folds,
                                   const ReadCosts& costs, const OrderOptions& options,
                                   DemandCost& cost) {
  std::vector<CandidateFigure> figures;
  double weights = 0;
  for (const Fold& fold : folds) {
    double weight = 0;
    for (const uint32_t run : fold.held_out) weight += set.weight(run);
    const std::vector<Candidate> candidates =
        make_candidates(set, fold.train, costs, options, cost);
    figures.resize(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      figures[i].method = candidates[i].method;
      figures[i].held_out_s += weight * mean_run_s(set, fold.held_out, candidates[i].order, cost);
    }
    weights += weight;
  }
  for (CandidateFigure& each : figures) each.held_out_s /= weights;
  return figures;
}

double bound_s(const RunSet& set, Runs runs, const ReadCosts& costs) {
  double sum_s = 0;
  double weights = 0;
  for (const uint32_t i : runs) {
    double bytes = 0;
    for (const uint32_t asset : set.run(i)) bytes += static_cast<double>(set.sizes_bytes()[asset]);
    if (bytes > 0) sum_s += set.weight(i) * (costs.jump_s + bytes / costs.bytes_per_s);
    weights += set.weight(i);
  }
  return weights > 0 ? sum_s / weights : 0;
}

std::vector<uint32_t> without(const std::vector<uint32_t>& runs,
                              const std::vector<uint32_t>& dropped) {
  std::vector<uint32_t> kept;
  std::ranges::set_difference(runs, dropped, std::back_inserter(kept));
  return kept;
}

}  // namespace

OrderResult best_order(const OrderProblem& problem, const ReadCosts& costs,
                       const OrderOptions& options) {
  const RunSet set(problem.sizes_bytes, problem.runs, problem.run_weights);
  OrderResult result;
  std::vector<uint32_t> runs;
  for (uint32_t i = 0; i < set.run_count(); ++i)
    if (!set.run(i).empty() && set.weight(i) > 0) runs.push_back(i);
  result.outlier_runs = find_outlier_runs(set, runs);
  if (options.drop_outliers) runs = without(runs, result.outlier_runs);
  result.method = "first-seen";
  if (runs.empty()) {
    append_others(result.order, set.asset_count());
    return result;
  }

  DemandCost cost(costs, options.demand);
  const std::vector<Fold> folds = make_folds(set, runs, options.seed);
  const std::vector<Fold> all = {{runs, runs}};
  result.candidates = judge(set, folds.empty() ? all : folds, costs, options, cost);
  const auto best = std::ranges::min_element(result.candidates, {}, &CandidateFigure::held_out_s);
  std::vector<Candidate> candidates = make_candidates(set, runs, costs, options, cost);
  result.order = std::move(candidates[static_cast<size_t>(best - result.candidates.begin())].order);
  result.method = best->method;
  result.held_out_s = best->held_out_s;
  result.first_seen_s = result.candidates.front().held_out_s;
  result.bound_s = bound_s(set, runs, costs);
  return result;
}

}  // namespace seekless
