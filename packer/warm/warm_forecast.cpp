#include "packer/warm/warm_forecast.h"

#include <map>

#include "packer/drive/drive.h"
#include "packer/drive/fits_on.h"
#include "packer/drive/load_start.h"

namespace seekless {

Result<double> forecast_warm(const DriveProfile& profile, std::span<const FileExtents> files,
                             const FolderPlaces& folders, std::span<const SweepRead> reads) {
  std::map<uint64_t, Drive> drives;  // keyed by device
  FileFinder finder(folders);
  SKL_TRY_DO(check_fits_on(Drive(profile), folders));
  for (const FileExtents& file : files) {
    const auto [drive, is_new] = drives.try_emplace(file.device, profile);
    if (is_new) send_head_away(drive->second);
    SKL_TRY_DO(check_fits_on(drive->second, file));
    finder.find(file, drive->second);
    finder.map(file, drive->second);
  }
  for (const SweepRead& read : reads) {
    const FileExtents& file = files[read.file];
    Drive& drive = drives.at(file.device);
    for_each_piece(
        file.extents, read.offset_bytes, read.offset_bytes + read.length_bytes,
        [&](const Extent& piece, size_t) { drive.read(piece.place_bytes, piece.length_bytes); });
  }
  double seconds = 0;
  for (const auto& [device, drive] : drives) seconds += drive.counters().busy_ms / 1000;
  return seconds;
}

}  // namespace seekless
