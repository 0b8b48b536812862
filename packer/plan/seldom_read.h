// What only some of a scenario's runs read: swept for all of them, or left to be asked for by those
// that need it, whichever is cheaper for runs that are held out. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/plan/draft.h"
#include "packer/plan/needs.h"

namespace seekless {

// Of a scenario whose sweep had better leave something out.
struct SeldomRead {
  uint32_t scenario = 0;
  double least_share = 0;    // of its runs: that have to read an asset for the sweep to bring it
  uint64_t assets = 0;       // that it leaves out
  uint64_t left_bytes = 0;   // of those
  uint64_t read_bytes = 0;   // of those, that a run reads all the same; mean
  double all_swept_s = 0;    // a load whose sweep brings everything; mean of runs held out
  double left_to_ask_s = 0;  // of the same loads, as it is
};

// Scenarios rising; those that are better swept whole aren't among them. Of scenarios of three runs
// and more. `folds`: of fold_count(needs), as many as are tried; each takes a plan for every share
// that is tried, if there is anything to win by the bytes alone.
std::vector<SeldomRead> find_seldom_read(const DraftInput& input, const Needs& needs,
                                         uint32_t folds);

}  // namespace seekless
