// Finds the drive that a file lies on, from /sys and the table of mounts on Linux: through
// partitions, loop devices and the device mapper, which may combine several drives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless {

struct FoundDrive {
  std::optional<bool> is_rotational;  // nothing if unknown
  bool is_on_network = false;         // the drive is in another machine
  bool is_in_memory = false;          // a file system without a drive
  // A text for people: "sda, WDC WD10EZEX, 1.0 TB, says that it is rotational", or why the drive
  // isn't known. Virtual drives may claim anything.
  std::string description;
};

// Finds the drive of `path`, or of the folder that would hold it. Tests give `system_folder` and
// `mounts`.
FoundDrive drive_of_path(const std::string& path, const std::string& system_folder = "/sys",
                         const std::string& mounts = "/proc/self/mountinfo");

// Returns true if the table of mounts names a network file system for the path. Unlike the other
// functions, this one never accesses that file system, whose server may not answer. It doesn't
// follow links.
bool lies_on_network(const std::string& path, const std::string& mounts = "/proc/self/mountinfo");

// Finds the drive with a device number, as stat() gives it.
FoundDrive drive_of_device(uint64_t device, const std::string& system_folder,
                           const std::string& mounts);

}  // namespace seekless
