// An overlay archive, from what recordings read to what it holds and in which order: the one order
// over all archives that none of them can have for itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/repack/entry_order.h"
#include "packer/repack/forecast.h"
#include "packer/repack/internal/overlay_entries.h"
#include "packer/repack/internal/overlay_site.h"

namespace seekless {

struct PlannedOverlay {
  std::vector<OverlayEntry> entries;  // as they are to lie
  std::map<std::string, Told> left_out;
  Profile profile;  // as OverlayChoice::profile
};

PlannedOverlay plan_overlay(const Profile& profile, const Content& content, const OverlaySite& site,
                            const EntryOrderOptions& options);

// What loads gain: the recorded reads go to the overlay where it holds what they read.
Result<RepackForecast> forecast_overlay(const Recorded& recorded, const Content& content,
                                        const ForecastDrive& drive, const OverlaySite& site,
                                        const EntryOrderOptions& order,
                                        const RewriteOptions& rewrite);

}  // namespace seekless
