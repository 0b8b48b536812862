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

// Tells whether other processes read from a drive while this one reads from it, too: the drive
// counts what all have read, and the system what this process has. It tells nothing where one of
// them isn't counted.
class OthersReads {
 public:
  // `path` is any file on the drive. The folders are those of the system, or of a test.
  explicit OthersReads(const std::string& path, const std::string& system_folder = "/sys",
                       std::string own_counts = "/proc/self/io");
  // Returns true if another process has read since the last call.
  bool have_come();

 private:
  std::optional<int64_t> others_bytes() const;

  std::string drive_counts_;  // the drive's file of counts; empty: there is none
  std::string own_counts_;
  std::optional<int64_t> most_bytes_;
};

}  // namespace seekless
