// Finds one scenario's order from many noisy runs: threads race, so no two recordings agree. Tries
// several methods, judges each on runs that it wasn't made from, and polishes the best order. Pure:
// the same problem gives the same order, and several threads can call it at once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "packer/plan/internal/demand_cost.h"

namespace seekless {

struct OrderProblem {
  std::vector<uint64_t> sizes_bytes;  // indexed by asset; ties go by this index
  // Each run lists assets in the order first read. Repeats and empty runs are skipped.
  std::vector<std::vector<uint32_t>> runs;
  // One weight for each run; empty if all are 1. Runs with a weight of 0 or less don't count. If
  // all have such weights, all count.
  std::vector<double> run_weights;
};

struct OrderOptions {
  DemandOptions demand;
  uint64_t seed = 1;
  double effort = 1;  // scales the work of polishing; 0 disables it
  // If false, takes the order of the usual method, and neither judges nor polishes it; for trials.
  bool tries_methods = true;
  bool drop_outliers = false;  // ignores outlier runs: assets that only they read count as unread
};

struct CandidateFigure {
  std::string_view method;
  double held_out_s = 0;
};

struct OrderResult {
  std::vector<uint32_t> order;  // all assets; those that no run reads come last, by index
  std::string_view method;      // the name of one of `candidates`
  // All times are weighted means of the seconds of one run. If fewer than two runs read anything,
  // no run can be held out, and the figures come from the runs that the order was made from.
  double held_out_s = 0;
  double first_seen_s = 0;  // seconds of held-out runs in first-seen order
  double bound_s = 0;       // lower bound for any order: one jump, and each byte once
  std::vector<CandidateFigure> candidates;
  uint32_t polish_rounds = 0;
  std::vector<uint32_t> outlier_runs;  // indices in the problem
};

// Indices in `problem.runs` must be below the number of sizes. Time grows with the reads in all
// runs together, memory with reads and assets.
OrderResult best_order(const OrderProblem& problem, const DriveProfile& drive,
                       const OrderOptions& options = {});

}  // namespace seekless
