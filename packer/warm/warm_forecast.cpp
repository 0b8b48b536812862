#include "packer/warm/warm_forecast.h"

#include <algorithm>

#include "packer/drive/drive.h"
#include "packer/drive/fits_on.h"
#include "packer/drive/load_start.h"

namespace seekless {

Result<double> forecast_warm(const DriveProfile& profile, std::span<const FileExtents> files,
                             std::span<const WarmRead> reads) {
  Drive drive(profile);
  for (const FileExtents& file : files)
    if (auto fits = check_fits_on(drive, file); !fits) return std::unexpected(fits.error());
  send_head_away(drive);
  for (const WarmRead& read : reads) {
    const uint64_t end = read.offset_bytes + read.length_bytes;
    for (const Extent& piece : files[read.file].extents) {
      const uint64_t from = std::max(read.offset_bytes, piece.offset_bytes);
      const uint64_t to = std::min(end, piece.offset_bytes + piece.length_bytes);
      if (from < to) drive.read(piece.place_bytes + (from - piece.offset_bytes), to - from);
    }
  }
  return drive.counters().busy_ms / 1000;
}

}  // namespace seekless
