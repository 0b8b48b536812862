#include "packer/repack/overlay.h"

#include "packer/entries/archive_order.h"
#include "packer/entries/archive_reads.h"
#include "packer/repack/internal/planned_places.h"

namespace seekless {

PlannedOverlay plan_overlay(const Profile& profile, const Content& content, const OverlaySite& site,
                            const EntryOrderOptions& options) {
  OverlayChoice choice =
      choose_overlay_entries(profile, content, site.archives, site.precedence, site.foreign);
  std::vector<uint32_t> assets;
  for (const OverlayEntry& entry : choice.entries) assets.push_back(entry.asset);
  PlannedOverlay planned = {.entries = {},
                            .left_out = std::move(choice.left_out),
                            .profile = in_planning_order(std::move(choice.profile))};
  const ArchiveReads reads =
      reads_of_assets(planned.profile, content, options.weights, options.storing, assets);
  for (const uint32_t entry : order_archive(reads, {options.drive, options.alignment}))
    planned.entries.push_back(choice.entries[reads.entries[entry].number]);
  return planned;
}

Result<RepackForecast> forecast_overlay(const Recorded& recorded, const Content& content,
                                        const ForecastDrive& drive, const OverlaySite& site,
                                        const EntryOrderOptions& order,
                                        const RewriteOptions& rewrite) {
  const auto places_for = [&](const Profile& profile) {
    return planned_overlay(content, site, plan_overlay(profile, content, site, order).entries,
                           rewrite);
  };
  std::vector<FileToPlace> added;
  if (!site.replaced) added.push_back({site.path(), 0});
  return forecast_places(recorded, content, drive, places_for, added);
}

}  // namespace seekless
