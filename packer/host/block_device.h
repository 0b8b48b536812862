// What drive a file lies on, as the system tells it (Linux: /sys and the table of mounts): through
// partitions, loop devices and whatever the device mapper makes of several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless {

struct FoundDrive {
  std::optional<bool> is_rotational;  // none: can't be told
  // For people: "sda, WDC WD10EZEX, 1.0 TB, says that it is rotational"; or why it can't be told.
  // Virtual drives say what they like.
  std::string description;
};

// `path` need not exist: then what it would lie in counts. `system_folder` and `mounts` are for
// tests.
FoundDrive drive_of_path(const std::string& path, const std::string& system_folder = "/sys",
                         const std::string& mounts = "/proc/self/mountinfo");

// The same for a device's number, as stat() tells it.
FoundDrive drive_of_device(uint64_t device, const std::string& system_folder,
                           const std::string& mounts);

}  // namespace seekless
