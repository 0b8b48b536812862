// Finds the drive that a file lies on, from /sys and the table of mounts on Linux: through
// partitions, loop devices and the device mapper, which may combine several drives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless {

struct FoundDrive {
  std::optional<bool> is_rotational;  // empty: unknown
  // A text for people: "sda, WDC WD10EZEX, 1.0 TB, says that it is rotational", or why the drive
  // isn't known. Virtual drives may claim anything.
  std::string description;
};

// If `path` doesn't exist, the folder that would hold it counts. `system_folder` and `mounts` are
// for tests.
FoundDrive drive_of_path(const std::string& path, const std::string& system_folder = "/sys",
                         const std::string& mounts = "/proc/self/mountinfo");

// Does the same for a device's number, as stat() gives it.
FoundDrive drive_of_device(uint64_t device, const std::string& system_folder,
                           const std::string& mounts);

}  // namespace seekless
