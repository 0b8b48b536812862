// Whether a new layout is worth its patch: seconds that loads would save against the locked one,
// and the bytes that players would fetch. Pure.
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

// Recordings that the lock's layout wasn't made from, as far as their numbers tell.
struct NewRecordings {
  uint64_t count = 0;
  std::vector<std::string> scenarios;  // that have them, in the order of the profile
};
NewRecordings new_recordings(const LayoutLock& lock, const Profile& profile);

struct RelayoutGain {
  double kept_s = 0;    // of the locked layout, on all runs
  double fresh_s = 0;   // of the fresh one, on the same
  PatchForecast patch;  // from the packs of the lock to those of the fresh layout

  double saved_s() const { return kept_s - fresh_s; }
  // Whether a new layout saves so many seconds for each MB of its patch in content-defined chunks.
  bool pays(double seconds_per_mb) const;
};

// `kept` is the locked layout with today's content, `fresh` one of plan_layout() with the same
// profile, content and options, with places. Both are judged by the same forecast on all runs; the
// fresh one was made from all of them, so what it saves is an upper bound.
RelayoutGain relayout_gain(const LayoutLock& lock, const Layout& kept, const Layout& fresh,
                           const Profile& profile, const HashedContent& hashed,
                           const PlanOptions& options);

}  // namespace seekless
