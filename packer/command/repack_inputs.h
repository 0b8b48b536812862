// What repack works from: the archives, as they were recorded; the recordings; the order that
// follows; the drive that counts.
#pragma once

#include <optional>
#include <vector>

#include "packer/command/repack_options.h"
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

// For whoever plays here what the content lies on, and for whoever ships archives the target.
Result<ChosenDrive> drive_for(const RepackArguments& arguments);

// None for a profile: the gain of repacking is found by replaying the reads themselves.
Result<std::optional<RepackForecast>> get_forecast(const RepackArguments& arguments,
                                                   const Content& content, const Recorded& recorded,
                                                   const DriveProfile& drive,
                                                   const std::vector<RepackedArchive>& archives);

}  // namespace seekless
