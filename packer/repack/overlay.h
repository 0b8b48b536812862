// Plans an overlay archive: decides from recorded reads which entries it holds, and in which order.
// One overlay can order the entries of all archives, which no single archive can.
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

// Forecasts the gain of loads: recorded reads go to the overlay if it holds their entries.
Result<RepackForecast> forecast_overlay(const Recorded& recorded, const Content& content,
                                        const ForecastDrive& drive, const OverlaySite& site,
                                        const EntryOrderOptions& order,
                                        const RewriteOptions& rewrite);

}  // namespace seekless
