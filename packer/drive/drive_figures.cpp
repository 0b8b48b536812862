#include "packer/drive/drive_figures.h"

#include <algorithm>

#include "packer/drive/drive.h"

namespace seekless {
namespace {

constexpr uint64_t kSmallReadBytes = 4096;

}  // namespace

DriveFigures figures_of(const DriveProfile& profile) {
  const Drive drive(profile);
  const uint64_t middle = drive.capacity_bytes() / 2;
  DriveFigures figures = {.capacity_bytes = drive.capacity_bytes(),
                          .outer_bytes_per_s = drive.rate_bytes_per_s(0),
                          .inner_bytes_per_s = drive.rate_bytes_per_s(drive.capacity_bytes()),
                          .access_ms = drive.average_access_ms()};
  figures.iops = 1e3 / (figures.access_ms + drive.sweep_ms(middle, kSmallReadBytes));
  figures.outer_gap_bytes = drive.break_even_gap_bytes(0);
  // The very end has no space for a gap, so the place is a tenth of the disk before it.
  figures.inner_gap_bytes =
      drive.break_even_gap_bytes(drive.capacity_bytes() - drive.capacity_bytes() / 10);
  return figures;
}

std::optional<ReadingTime> reading_time(std::span<const FileExtents> files,
                                        const DriveProfile& profile) {
  Drive drive(profile);
  uint64_t bytes = 0;
  uint64_t first_place = UINT64_MAX;
  for (const FileExtents& file : files)
    for (const Extent& extent : file.extents) {
      if (!drive.holds(extent.place_bytes, extent.length_bytes)) return std::nullopt;
      drive.read(extent.place_bytes, extent.length_bytes);
      bytes += extent.length_bytes;
      first_place = std::min(first_place, extent.place_bytes);
    }
  ReadingTime time;
  time.seconds = drive.counters().busy_ms / 1e3;
  if (bytes > 0) time.in_one_piece_s = Drive(profile).read(first_place, bytes) / 1e3;
  return time;
}

}  // namespace seekless
