// What the records of one process on Windows mean: which file a handle stands for, where it stands,
// and how much a read that went on for a while brought. Tells FileCalls, as the tracer of Linux
// does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "packer/record/internal/ring_reader.h"
#include "packer/trace/descriptors.h"
#include "packer/trace/file_calls.h"

namespace seekless {

// When the performance counter stood at `ticks`, the recording was at `ns`.
struct TickClock {
  int64_t ticks = 0;
  int64_t ns = 0;
  int64_t ticks_per_second = 10'000'000;

  int64_t ns_of(int64_t at_ticks) const;  // within an event's limits, and not before the beginning
};

// "\??\C:\game\a.pak", "\Device\HarddiskVolume3\game\a.pak" -> "C:/game/a.pak"; nothing for what is
// no file. `drive_of` knows the drive of a device ("C:" of "\Device\HarddiskVolume3"), or nothing.
using DriveOfDevice = std::function<std::string(const std::string&)>;
std::optional<std::string> path_of_nt_name(const std::u16string& name,
                                           const DriveOfDevice& drive_of);

class ProcessRecords {
 public:
  // All but the process must outlive this.
  ProcessRecords(uint32_t process, FileCalls& calls, size_t& table_entries,
                 const DriveOfDevice& drive_of)
      : process_(process), calls_(calls), drive_of_(drive_of), files_(table_entries) {}

  // Of every kind but `child`. What makes no sense is passed over.
  Result<void> take(const FileRecord& record, const TickClock& clock);
  // The process has ended: reads that nobody saw complete count with what they were to bring.
  Result<void> finish(const TickClock& clock);

 private:
  struct PendingRead {
    FileRecord record;
    std::shared_ptr<OpenDescription> file;
  };
  // Of a program that never asks how its reads ended.
  static constexpr size_t kMaxPending = 65536;

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
  std::unordered_map<uint32_t, uint64_t> section_bytes_;  // by the section's handle
  std::unordered_map<uint64_t, PendingRead> pending_;
};

}  // namespace seekless
