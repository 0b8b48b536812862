// Tells whether any program uses the drive that a file lies on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless {

// Counts transfers that the drive has done, and those that wait for it, from /sys. If the count is
// the same twice and none waits, nobody used the drive in between. There is no count where the
// system has none: file systems over several drives, in memory, on servers.
struct DriveTransfers {
  uint64_t done = 0;
  uint64_t waiting = 0;

  bool operator==(const DriveTransfers&) const = default;
};
std::optional<DriveTransfers> transfers_of(const std::string& path,
                                           const std::string& system_folder = "/sys");

}  // namespace seekless
