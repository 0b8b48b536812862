// Reads the inputs of repack: the archives as recorded, the recordings, the resulting order, and
// the drive for predictions.
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

// Scans the archives as they were when recorded, since recordings contain offsets in them. If the
// recordings are older than an in-place repack, scans the originals, and sets `arguments` to make
// the archives from them again. Warns about archives that stay as they are.
Result<Content> scan_as_recorded(RepackArguments& arguments);

// Reads each trace once, and stores its reads in `runs`.
Result<Profile> get_profile(const RepackArguments& arguments, const Content& content,
                            std::vector<TraceMapping>& mappings, KeptRuns& runs);

Result<EntryOrder> get_order(const RepackArguments& arguments, const Content& content,
                             const Profile& profile);

Result<EntryOrderOptions> order_options(const RepackArguments& arguments);

// Returns the drive that --drive names. Without --drive, returns the content's drive if there is no
// output folder, since the user then plays here, or else the target drive, since the archives are
// shipped.
Result<ChosenDrive> drive_for(const RepackArguments& arguments);

// Returns the drive on which recorded reads are replayed, with free space for `new_bytes`. If it is
// this machine's own drive, files have their real positions.
Result<ForecastDrive> forecast_drive(const RepackArguments& arguments, const DriveProfile& drive,
                                     const Content& content, const KeptRuns& runs,
                                     uint64_t new_bytes);

Verdict judge_forecast(const ChosenDrive& drive, const std::optional<RepackForecast>& forecast);

// Returns the forecast for the compression that `arguments` asks for. If it asks for none, chooses
// the best and sets it in `arguments`.
Result<RepackForecast> choose_storing(RepackArguments& arguments, const Profile& profile,
                                      const Content& content, const ForecastWith& forecast_with);

// Replays the recorded reads to forecast the gain, and chooses the compression. Returns none for a
// profile, which has no reads. `order` is that of get_order(). `is_done` is true if the archives
// were already made with the chosen compression.
Result<std::optional<RepackForecast>> get_forecast(RepackArguments& arguments,
                                                   const Content& content, const Recorded& recorded,
                                                   const DriveProfile& drive,
                                                   const EntryOrder& order,
                                                   const std::vector<RepackedArchive>& archives,
                                                   bool is_done = false);

// Prints the answer below the verdict, as text and JSON.
Result<void> tell(const RepackAnswer& answer, const std::vector<TraceMapping>& mappings,
                  const RepackArguments& arguments);

}  // namespace seekless
