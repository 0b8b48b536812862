// Which runs are trained on and which are held out to judge by. Pure.
#pragma once

#include <vector>

#include "packer/plan/internal/run_set.h"

namespace seekless {

struct Fold {
  std::vector<uint32_t> train;  // neither is empty
  std::vector<uint32_t> held_out;
};

// Up to 4 runs: each is held out once; from 5 on fifths, or one fifth alone if there are many
// reads: then one says enough. None for fewer than 2 runs.
std::vector<Fold> make_folds(const RunSet& set, Runs runs, uint64_t seed);

}  // namespace seekless
