// Tells whether a new layout is worth its patch. It compares the seconds that loads would save with
// the bytes that players would download. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/keep/lock.h"
#include "packer/layout/layout.h"
#include "packer/plan/planner.h"
#include "packer/profile/profile.h"
#include "packer/update/patch_forecast.h"

namespace seekless {

// Counts the recordings that the lock's layout wasn't made from, by comparing numbers of
// recordings.
struct NewRecordings {
  uint64_t count = 0;
  std::vector<std::string> scenarios;  // scenarios with new recordings, in the order of the profile
};
NewRecordings new_recordings(const LayoutLock& lock, const Profile& profile);

struct RelayoutGain {
  double kept_s = 0;    // seconds with the locked layout, on all runs
  double fresh_s = 0;   // seconds with the fresh layout, on all runs
  PatchForecast patch;  // patch from the packs of the lock to those of the fresh layout

  double saved_s() const { return kept_s - fresh_s; }
  // Returns true if a new layout saves this many seconds for each MB of its patch in
  // content-defined chunks.
  bool pays(double seconds_per_mb) const;
};

// Computes the gain. `kept` is the locked layout with today's content; `fresh` comes from
// plan_layout() with the same profile, content and options, and has places. The same forecast
// judges both, on all runs. `fresh` was made from all of these runs, so the saving is an upper
// bound.
RelayoutGain relayout_gain(const LayoutLock& lock, const Layout& kept, const Layout& fresh,
                           const Profile& profile, const HashedContent& hashed,
                           const PlanOptions& options);

}  // namespace seekless
