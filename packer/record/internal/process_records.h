// Interprets the records of one process on Windows: which file a handle stands for, its position,
// and how much a pending read delivered. Reports to FileCalls, as the tracer on Linux does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "packer/record/internal/ring_reader.h"
#include "packer/trace/descriptors.h"
#include "packer/trace/file_calls.h"

namespace seekless {

// Relates two clocks: the performance counter showed `ticks` when the recording was at `ns`.
struct TickClock {
  int64_t ticks = 0;
  int64_t ns = 0;
  int64_t ticks_per_second = 10'000'000;

  // Converts ticks to the recording's time. The result is within an event's limits and not before
  // the recording's beginning.
  int64_t ns_of(int64_t at_ticks) const;
};

// Turns "\??\C:\game\a.pak" and "\Device\HarddiskVolume3\game\a.pak" into "C:/game/a.pak"; returns
// nothing for a name that isn't a file's. `drive_of` returns a device's drive ("C:" for
// "\Device\HarddiskVolume3"), or an empty text.
using DriveOfDevice = std::function<std::string(const std::string&)>;
std::optional<std::string> path_of_nt_name(const std::u16string& name,
                                           const DriveOfDevice& drive_of);

class ProcessRecords {
 public:
  // All references must outlive this object.
  ProcessRecords(uint32_t process, FileCalls& calls, size_t& table_entries,
                 const DriveOfDevice& drive_of)
      : process_(process), calls_(calls), drive_of_(drive_of), files_(table_entries) {}

  // Takes records of all kinds but `child`, and skips nonsensical ones.
  Result<void> take(const FileRecord& record, const TickClock& clock);
  // Returns the number of the file that the record's read takes past the system's cache; nothing
  // for other records.
  std::optional<uint32_t> file_read_past_cache(const FileRecord& record) const;
  // Notes that the process has ended. A read whose end wasn't seen counts with the length that it
  // asked for.
  Result<void> finish(const TickClock& clock);

 private:
  struct PendingRead {
    FileRecord record;
    std::shared_ptr<OpenDescription> file;
  };
  // The number of pending reads is limited, because a program may never ask how its reads ended.
  static constexpr size_t kMaxPending = 65536;

  void set_mode(int32_t handle, OpenDescription& file, uint32_t flags);
  Result<void> open(const FileRecord& record, Event& event);
  Result<void> known(const FileRecord& record);
  Result<void> read(OpenDescription& file, const FileRecord& record, uint64_t length_bytes,
                    Event& event);
  Result<void> complete(const FileRecord& record, Event& event, const TickClock& clock);
  Result<void> map(const FileRecord& record, Event& event);

  uint32_t process_;
  FileCalls& calls_;
  const DriveOfDevice& drive_of_;
  DescriptorTable files_;
  std::unordered_set<int32_t> unbuffered_;                // handles whose reads bypass the cache
  std::unordered_map<uint32_t, uint64_t> section_bytes_;  // keyed by the section's handle
  std::unordered_map<uint64_t, PendingRead> pending_;
};

}  // namespace seekless
