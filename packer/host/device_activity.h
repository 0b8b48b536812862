// Reads the counters of a file system's block device, for measurements that must know whether
// another program used the disk at the same time. On Windows nothing is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless {

// Describes the block device that a file system lies on, or the partition of one.
struct HostDevice {
  std::string path;               // "/dev/sda2"
  uint64_t size_bytes = 0;        // 0 if unknown
  std::string model;              // the name that the drive reports; may be empty
  uint64_t read_ahead_bytes = 0;  // how far Linux reads ahead on it; 0 if unknown
  std::string statistics;         // the file with the counters of the whole drive
};

// Returns nothing if the folder or file lies on no block device, or on one that isn't known. Tests
// give `system_folder` and `mounts`.
std::optional<HostDevice> device_below(const std::string& path,
                                       const std::string& system_folder = "/sys",
                                       const std::string& mounts = "/proc/self/mountinfo");

// Counts what the drive has done since the system started, for all processes.
struct HostCounters {
  uint64_t requests = 0;  // reads and writes
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
  uint64_t busy_ms = 0;  // time with at least one request
};

std::optional<HostCounters> counters_of(const HostDevice& device);

// Returns how many bytes the system has read from drives for this process.
std::optional<uint64_t> own_read_bytes();

}  // namespace seekless
