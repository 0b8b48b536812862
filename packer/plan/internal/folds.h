// Splits runs into those for training and those held out for judging. Pure.
#pragma once

#include <vector>

#include "packer/plan/internal/run_set.h"

namespace seekless {

struct Fold {
  std::vector<uint32_t> train;  // neither list is empty
  std::vector<uint32_t> held_out;
};

// Splits up to 4 runs so that each is held out once. Splits more runs into fifths, each held out
// once; with many reads it holds out only one fifth, because that is enough. Returns no fold for
// fewer than 2 runs.
std::vector<Fold> make_folds(const RunSet& set, Runs runs, uint64_t seed);

}  // namespace seekless
