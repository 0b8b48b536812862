// Whether anybody uses the drive that a file lies on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless {

// Transfers that the drive has done and that wait for it, as /sys counts them: if the number is the
// same twice, and nothing waits, nobody used the drive in between. Nothing where the system doesn't
// count: file systems over several drives, in memory, on servers.
struct DriveTransfers {
  uint64_t done = 0;
  uint64_t waiting = 0;

  bool operator==(const DriveTransfers&) const = default;
};
std::optional<DriveTransfers> transfers_of(const std::string& path,
                                           const std::string& system_folder = "/sys");

}  // namespace seekless
