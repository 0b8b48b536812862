// One scenario's order from many noisy runs: threads race, so no two recordings agree. Several
// methods are tried, each judged on runs that it wasn't made from; the best one is polished. Pure:
// the same problem gives the same order, and calls on several threads don't meet.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "packer/plan/internal/demand_cost.h"

namespace seekless {

struct OrderProblem {
  std::vector<uint64_t> sizes_bytes;  // by asset; ties are broken by this index
  // Assets in the order first read; repeats are passed over, and empty runs.
  std::vector<std::vector<uint32_t>> runs;
  // As many as runs, or none: 1 each. What isn't above 0 doesn't count; if nothing is, all count.
  std::vector<double> run_weights;
};

struct OrderOptions {
  DemandOptions demand;
  uint64_t seed = 1;
  double effort = 1;           // how much work polishing may take, as a factor; 0: none
  bool tries_methods = true;   // else the usual one is taken, unjudged and unpolished: for trials
  bool drop_outliers = false;  // as if none had recorded those runs: what they alone read is unread
};

struct CandidateFigure {
  std::string_view method;
  double held_out_s = 0;
};

struct OrderResult {
  std::vector<uint32_t> order;  // all assets; those that no run reads last, by index
  std::string_view method;      // of `candidates`
  // Seconds of one run, weighted means. Where fewer than two runs read anything, nothing can be
  // held out, and the figures are of what there is.
  double held_out_s = 0;
  double first_seen_s = 0;  // held out, in the first-seen order
  double bound_s = 0;       // no order is faster: one jump, and each byte once
  std::vector<CandidateFigure> candidates;
  uint32_t polish_rounds = 0;
  std::vector<uint32_t> outlier_runs;  // by index in the problem
};

// Indices in `problem.runs` are below the number of sizes. Time grows with the reads in all runs
// together, memory with reads and assets.
OrderResult best_order(const OrderProblem& problem, const DriveProfile& drive,
                       const OrderOptions& options = {});

}  // namespace seekless
