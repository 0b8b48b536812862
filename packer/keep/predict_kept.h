// Predicts the loads of an earlier layout that is kept. The figures are the same as the planner's
// for its own layouts, so a build with a lock can report them. Pure.
#pragma once

#include "packer/content/content.h"
#include "packer/layout/layout.h"
#include "packer/plan/planner.h"
#include "packer/profile/profile.h"

namespace seekless {

// Returns the weighted sum, over scenarios, of the seconds that one sweep keeps the drive busy: the
// mean over all runs of the profile. Assets outside the sweep are requested one by one.
double weighted_sweep_s(const Layout& layout, const Profile& profile, const Content& content,
                        const PlanOptions& options);

// Fills in the predictions of `layout`, whose assets belong to `content`. If a scenario has several
// runs, each is tested without assets that no other run reads, as if the layout had been made
// without it. Scenarios without runs get no prediction.
void predict_kept(Layout& layout, const Profile& profile, const Content& content,
                  const PlanOptions& options);

}  // namespace seekless
