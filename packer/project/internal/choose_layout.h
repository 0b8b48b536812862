// Chooses the layout that a build carries out: the one that the lock keeps, with today's content in
// it, or a new one. It reads only the lock; everything else comes as values.
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
  // Seconds that each MB of patch has to save, for a new layout to be made.
  std::optional<double> patch_price;
  bool prices_updates = false;  // also tries other prices, unless the content is large
  // Is called when a new layout is made, because it reads content. It returns the same result each
  // time.
  std::function<const UnrecordedMaps&()> unrecorded;
};

struct ChosenLayout {
  Layout layout;  // without sources, which are those of the content
  // Paths that were read when recording, and that the content lacks.
  std::vector<std::string> gone;
  std::vector<std::string> warnings;  // sentences
  std::vector<std::string> reasons;   // the reasons why the layout isn't the lock's
  uint64_t fresh_bytes = 0;           // LockedAssets::fresh_bytes
  bool is_relayout_due = false;
  std::optional<PatchForecast> patch;  // patch from the lock's packs
  // Number of recordings that the lock's layout wasn't made from.
  uint64_t new_recordings = 0;
  // Set if a price was given, or if there are new recordings and the content isn't large.
  std::optional<RelayoutGain> gain;
  std::vector<PricedUpdate> priced;  // set if other prices were asked for
  ChangeHistory changes;             // changes of the lock's history, and of this release
};

// Fails with kind `damaged` if the lock can't be read, or if the recordings don't belong to this
// content.
Result<ChosenLayout> choose_layout(const LayoutRequest& request);

}  // namespace seekless
