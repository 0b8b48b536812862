// Decides about assets that only some of a scenario's runs read. Either the sweep reads them for
// all runs, or the runs that need them request them, whichever is cheaper for held-out runs. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/plan/draft.h"
#include "packer/plan/needs.h"

namespace seekless {

// Describes a scenario whose sweep is faster if it leaves something out.
struct SeldomRead {
  uint32_t scenario = 0;
  uint64_t ask_bytes = Needs::kNeverAsk;  // as in Needs::ask_bytes
  uint64_t assets = 0;                    // number of assets that the sweep leaves out
  uint64_t left_bytes = 0;                // size of these assets
  uint64_t read_bytes = 0;                // mean size of the left-out assets that a run reads
  double all_swept_s = 0;  // seconds of a load whose sweep reads everything; mean of held-out runs
  double left_to_ask_s = 0;  // seconds of the same loads with those assets left out
};

// Returns scenarios of at least three runs whose sweeps should leave something out, ascending.
// `folds` is the number of the fold_count(needs) folds to try. If bytes alone suggest a gain, makes
// up to eight plans for each fold.
std::vector<SeldomRead> find_seldom_read(const DraftInput& input, const Needs& needs,
                                         uint32_t folds);

}  // namespace seekless
