#include "packer/plan/internal/read_costs.h"

#include "packer/drive/drive.h"

namespace seekless {

ReadCosts read_costs(const DriveProfile& profile, uint64_t content_bytes) {
  const Drive drive(profile);
  if (const auto* solid = std::get_if<SolidState>(&profile.hardware))
    return {.jump_s = 0,
            .bytes_per_s = solid->bytes_per_s,
            .arrival_s = drive.average_access_ms() / 1000};
  const uint64_t end_bytes = std::min(content_bytes, drive.capacity_bytes());
  const double bytes_per_s = drive.rate_bytes_per_s(end_bytes / 2);
  const double turn_s = 60.0 / std::get<HardDisk>(profile.hardware).rpm;
  return {.jump_s = drive.access_ms(0, end_bytes / 3) / 1000,
          .bytes_per_s = bytes_per_s,
          .arrival_s = drive.average_access_ms() / 1000,
          .turn_bytes = static_cast<uint64_t>(turn_s * bytes_per_s)};
}

}  // namespace seekless
