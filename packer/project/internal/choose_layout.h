// Which layout a build carries out: the one that the lock keeps, with today's content in it, or a
// fresh one. Reads the lock; everything else is values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/keep/lock.h"
#include "packer/plan/planner.h"
#include "packer/profile/profile.h"
#include "packer/project/build_file.h"
#include "packer/project/internal/other_prices.h"
#include "packer/project/internal/relayout_gain.h"
#include "packer/update/patch_forecast.h"

namespace seekless {

struct LayoutRequest {
  const BuildFile& file;
  const PlanOptions& plan;
  const Profile& profile;
  const HashedContent& hashed;
  bool makes_new_layout = false;
  std::optional<double> patch_price;  // seconds that a MB of patch has to save, for a new layout
  bool prices_updates = false;        // as far as the content isn't large
  // Asked for when a new layout is made, since it reads content; each time the same.
  std::function<const UnrecordedMaps&()> unrecorded;
};

struct ChosenLayout {
  Layout layout;                      // without sources: they are the content's
  std::vector<std::string> gone;      // read when recording, but not in the content
  std::vector<std::string> warnings;  // sentences
  std::vector<std::string> reasons;   // why the layout isn't that of the lock
  uint64_t fresh_bytes = 0;           // LockedAssets::fresh_bytes
  bool is_relayout_due = false;
  std::optional<PatchForecast> patch;  // against the lock
  uint64_t new_recordings = 0;         // that the lock's layout wasn't made from
  // If a price was asked for, or recordings are new and the content isn't large.
  std::optional<RelayoutGain> gain;
  std::vector<PricedUpdate> priced;  // if they were asked for
  ChangeHistory changes;             // of the lock, and of this release
};

// Errors: damaged for a lock that can't be read, and for recordings of other content.
Result<ChosenLayout> choose_layout(const LayoutRequest& request);

}  // namespace seekless
