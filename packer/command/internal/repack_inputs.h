// Reads what repack works from: the archives as they were recorded, the recordings, the order that
// follows from them, and the drive to judge for.
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

// Scans the archives as they were when recorded, since recordings name places in them. If the
// recordings are older than an in-place repack, their places are in the originals: then these are
// scanned, and `arguments` is set to make the archives from them again. Warns of archives that stay
// as they are.
Result<Content> scan_as_recorded(RepackArguments& arguments);

// Reads each trace once, and keeps what it read in `runs`.
Result<Profile> get_profile(const RepackArguments& arguments, const Content& content,
                            std::vector<TraceMapping>& mappings, KeptRuns& runs);

Result<EntryOrder> get_order(const RepackArguments& arguments, const Content& content,
                             const Profile& profile);

Result<EntryOrderOptions> order_options(const RepackArguments& arguments);

// Returns the drive that --drive names. Without it, this is the drive of the content if there is no
// output folder, since the user plays here, and otherwise the target drive, since the archives are
// shipped.
Result<ChosenDrive> drive_for(const RepackArguments& arguments);

// Returns the drive that recorded reads are replayed on: with files where they lie, if it is this
// machine's own, and with free room for `new_bytes`.
Result<ForecastDrive> forecast_drive(const RepackArguments& arguments, const DriveProfile& drive,
                                     const Content& content, const KeptRuns& runs,
                                     uint64_t new_bytes);

Verdict judge_forecast(const ChosenDrive& drive, const std::optional<RepackForecast>& forecast);

// Returns the forecast for the storing that `arguments` asks for. If it asks for none, the best one
// is chosen and set in `arguments`.
Result<RepackForecast> choose_storing(RepackArguments& arguments, const Profile& profile,
                                      const Content& content, const ForecastWith& forecast_with);

// Replays the recorded reads to forecast the gain, and chooses the storing. Returns none for a
// profile, which holds no reads. `is_done` is true if the archives are already made with the chosen
// storing.
Result<std::optional<RepackForecast>> get_forecast(RepackArguments& arguments,
                                                   const Content& content, const Recorded& recorded,
                                                   const DriveProfile& drive,
                                                   const std::vector<RepackedArchive>& archives,
                                                   bool is_done = false);

// Tells the answer below the verdict, for people and as JSON.
Result<void> tell(const RepackAnswer& answer, const std::vector<TraceMapping>& mappings,
                  const RepackArguments& arguments);

}  // namespace seekless
