// What repack works from: the archives, as they were recorded; the recordings; the order that
// follows; the drive that counts.
#pragma once

#include <optional>
#include <vector>

#include "packer/answer/repack_answer.h"
#include "packer/command/internal/repack_options.h"
#include "packer/repack/choose_storing.h"
#include "packer/repack/entry_order.h"
#include "packer/repack/forecast.h"
#include "packer/verdict/judging.h"

namespace seekless {

// Recordings name places. Those made before archives were repacked in place name places in the
// originals: then these are scanned, and `arguments` says to make the archives from them again.
// Warns of what stays as it is.
Result<Content> scan_as_recorded(RepackArguments& arguments);

// Traces are read once; what they read is kept in `runs`.
Result<Profile> get_profile(const RepackArguments& arguments, const Content& content,
                            std::vector<TraceMapping>& mappings, KeptRuns& runs);

Result<EntryOrder> get_order(const RepackArguments& arguments, const Content& content,
                             const Profile& profile);

Result<EntryOrderOptions> order_options(const RepackArguments& arguments);

// For whoever plays here what the content lies on, and for whoever ships archives the target.
Result<ChosenDrive> drive_for(const RepackArguments& arguments);

// The drive that recorded reads are replayed on.
Result<ForecastDrive> forecast_drive(const RepackArguments& arguments, const DriveProfile& drive);

Verdict judge_forecast(const ChosenDrive& drive, const std::optional<RepackForecast>& forecast);

// The forecast for the storing that the arguments ask for, or for the best one, which they then
// say.
Result<RepackForecast> choose_storing(RepackArguments& arguments, const Profile& profile,
                                      const Content& content, const ForecastWith& forecast_with);

// None for a profile: the gain of repacking is found by replaying the reads themselves. Chooses the
// storing, unless the archives are those that were made with what was chosen (`is_done`).
Result<std::optional<RepackForecast>> get_forecast(RepackArguments& arguments,
                                                   const Content& content, const Recorded& recorded,
                                                   const DriveProfile& drive,
                                                   const std::vector<RepackedArchive>& archives,
                                                   bool is_done = false);

// The answer after the verdict's lines, for people and as JSON.
Result<void> tell(const RepackAnswer& answer, const std::vector<TraceMapping>& mappings,
                  const Output& output);

}  // namespace seekless
