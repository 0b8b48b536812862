// What to expect of a layout that was made earlier and is kept: the same figures that the planner
// has for its own, so that a build with a lock tells them wherever it runs. Pure.
#pragma once

#include "packer/content/content.h"
#include "packer/layout/layout.h"
#include "packer/plan/planner.h"
#include "packer/profile/profile.h"

namespace seekless {

// Seconds that each scenario swept once keeps the drive busy, each times its weight: the mean of
// all runs of the profile, with what the sweep doesn't bring asked for one by one.
double weighted_sweep_s(const Layout& layout, const Profile& profile, const Content& content,
                        const PlanOptions& options);

// Fills in the predictions of `layout`, whose assets are those of `content`. Where a scenario has
// several runs, each is tried without what no other run reads: as if the layout had been made
// without it. Scenarios that no run is of get none.
void predict_kept(Layout& layout, const Profile& profile, const Content& content,
                  const PlanOptions& options);

}  // namespace seekless
