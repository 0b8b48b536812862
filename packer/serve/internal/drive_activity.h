// Tells whether any program uses the drives that files lie on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace seekless {

// Holds a drive's finished and waiting transfers, from /sys. If the count is the same twice and
// none waits, nobody used the drive in between. The system has no count for file systems over
// several drives, in memory, or on servers.
struct DriveTransfers {
  uint64_t done = 0;
  uint64_t waiting = 0;

  bool operator==(const DriveTransfers&) const = default;
};
// Adds up the transfers of all drives that `paths` lie on, each drive once, if the system counts
// them.
std::optional<DriveTransfers> transfers_of(std::span<const std::string> paths,
                                           const std::string& system_folder = "/sys");

// Tells whether other processes read from drives while this one reads from them. Each drive counts
// the bytes that all processes have read, and the system counts those that this process has read
// from all drives. Without these counts, it can't tell.
class OthersReads {
 public:
  // `paths` are any files on the drives. The folders are those of the system, or of a test.
  explicit OthersReads(std::span<const std::string> paths,
                       const std::string& system_folder = "/sys",
                       std::string own_counts = "/proc/self/io");
  // Returns false if the drives' reads aren't counted; have_come() is then always false.
  bool are_counted() const { return most_bytes_.has_value(); }
  // Returns true if another process has read since the last call.
  bool have_come();
  // Returns for how long the drives were busy with others' reads since the last call. The others'
  // share of the time is their share of the bytes.
  double busy_s();

 private:
  struct Counts {
    int64_t all_bytes = 0;
    int64_t own_bytes = 0;
    int64_t busy_ms = 0;
  };
  std::optional<Counts> counts() const;
  std::optional<int64_t> others_bytes() const;

  std::vector<std::string> drive_counts_;  // each drive's file of counts
  std::string own_counts_;
  std::optional<int64_t> most_bytes_;
  Counts last_;  // the counts at the last busy_s()
};

}  // namespace seekless
