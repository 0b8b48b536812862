#include "packer/warm/warm_forecast.h"

#include <algorithm>
#include <map>

#include "packer/drive/drive.h"
#include "packer/drive/fits_on.h"
#include "packer/drive/load_start.h"

namespace seekless {

Result<double> forecast_warm(const DriveProfile& profile, std::span<const FileExtents> files,
                             std::span<const WarmRead> reads) {
  std::map<uint64_t, Drive> drives;  // by device
  for (const FileExtents& file : files) {
    const auto [drive, is_new] = drives.try_emplace(file.device, profile);
    if (is_new) send_head_away(drive->second);
    if (auto fits = check_fits_on(drive->second, file); !fits) return std::unexpected(fits.error());
  }
  for (const WarmRead& read : reads) {
    const FileExtents& file = files[read.file];
    const uint64_t end = read.offset_bytes + read.length_bytes;
    const auto end_of = [](const Extent& of) { return of.offset_bytes + of.length_bytes; };
    for (auto piece = std::ranges::upper_bound(file.extents, read.offset_bytes, {}, end_of);
         piece != file.extents.end() && piece->offset_bytes < end; ++piece) {
      const uint64_t from = std::max(read.offset_bytes, piece->offset_bytes);
      const uint64_t to = std::min(end, piece->offset_bytes + piece->length_bytes);
      drives.at(file.device).read(piece->place_bytes + (from - piece->offset_bytes), to - from);
    }
  }
  double seconds = 0;
  for (const auto& [device, drive] : drives) seconds += drive.counters().busy_ms / 1000;
  return seconds;
}

}  // namespace seekless
