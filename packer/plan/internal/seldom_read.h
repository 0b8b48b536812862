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
  uint64_t ask_bytes = Needs::kNeverAsk;  // Needs::ask_bytes
  uint64_t assets = 0;                    // that its sweep leaves out
  uint64_t left_bytes = 0;                // of those
  uint64_t read_bytes = 0;                // of those, that a run reads all the same; mean
  double all_swept_s = 0;    // a load whose sweep brings everything; mean of runs held out
  double left_to_ask_s = 0;  // of the same loads, with those assets left out
};

// Scenarios rising; those that are better swept whole aren't among them. Of scenarios of three runs
// and more. `folds`: of fold_count(needs), as many as are tried. Where there may be something to
// win, by the bytes alone, it takes up to eight plans for each.
std::vector<SeldomRead> find_seldom_read(const DraftInput& input, const Needs& needs,
                                         uint32_t folds);

}  // namespace seekless
