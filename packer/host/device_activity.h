// Asks the system what a file system's block device has done, and for what: for measurements that
// must know whether another program used the disk meanwhile. On Windows nothing is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless {

// Describes the block device that a file system lies on, or the partition of one.
struct HostDevice {
  std::string path;               // "/dev/sda2"
  uint64_t size_bytes = 0;        // 0 if unknown
  std::string model;              // of the drive, as it calls itself; may be empty
  uint64_t read_ahead_bytes = 0;  // how far Linux reads ahead on it; 0 if unknown
  std::string statistics;         // the file with the counters of the whole drive
};

// Returns nothing if the folder or file lies on no block device, or on one that isn't known. Tests
// give `system_folder` and `mounts`.
std::optional<HostDevice> device_below(const std::string& path,
                                       const std::string& system_folder = "/sys",
                                       const std::string& mounts = "/proc/self/mountinfo");

// Counts what the drive has done since the system started, for everybody.
struct HostCounters {
  uint64_t requests = 0;  // reads and writes
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
  uint64_t busy_ms = 0;  // time with at least one request
};

std::optional<HostCounters> counters_of(const HostDevice& device);

// Returns how many bytes this process has had the system read from drives.
std::optional<uint64_t> own_read_bytes();

}  // namespace seekless
