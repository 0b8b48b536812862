// Plans an overlay archive: takes what recordings read, and decides what the overlay holds and in
// which order. It can have one order over all archives, which none of them can have itself.
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
  std::vector<OverlayEntry> entries;  // in the order they will lie
  std::map<std::string, Told> left_out;
  Profile profile;  // same meaning as OverlayChoice::profile
};

PlannedOverlay plan_overlay(const Profile& profile, const Content& content, const OverlaySite& site,
                            const EntryOrderOptions& options);

// Forecasts what loads gain: recorded reads go to the overlay if it holds what they read.
Result<RepackForecast> forecast_overlay(const Recorded& recorded, const Content& content,
                                        const ForecastDrive& drive, const OverlaySite& site,
                                        const EntryOrderOptions& order,
                                        const RewriteOptions& rewrite);

}  // namespace seekless
