// What the forms of Process Monitor's log have in common: turns its rows into events and applies
// the rule of paging. A cached read and the paging reads that it causes are both logged; a paging
// read counts only where no cached read of the file, before it or soon after (read-ahead), touches
// its range: then the file is mapped, and it is a `read`, not a `map`, for its pages are known to
// have been fetched.
//
// END OF FILE: the row tells how much was asked for. Where what was read of the file before ends at
// that very place, it is known that nothing came, and the row gives no event; else it is a read of
// what was asked for, whose end may lie past the file's.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/base/text_numbers.h"
#include "packer/trace/dialect.h"
#include "packer/trace/internal/cached_ranges.h"

namespace seekless {

struct ProcmonAccess {
  enum class Operation : uint8_t { read, open };
  Operation operation = Operation::read;
  int64_t start_ns = 0;
  int64_t duration_ns = kUnknownDuration;
  uint32_t process = 0;
  uint32_t thread = 0;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // or kWholeFile
  uint32_t status = 0;        // an NTSTATUS
  bool is_paging = false;
  bool is_for_reading = true;  // of an open
};

// Fields as they are written; empty where there is no such column.
struct ProcmonRow {
  std::string_view time_of_day, pid, tid, operation, path, result, detail, duration;
};

class ProcmonEvents {
 public:
  // How many events a paging read waits for the cached read that explains it (read-ahead).
  static constexpr size_t kMaxHeld = size_t{1} << 14;

  ProcmonEvents(TraceSink& sink, ImportReport& report) : sink_(sink), report_(report) {}

  // False if the row can't be understood. Rows that are neither reads nor opens are passed over.
  Result<bool> row(const ProcmonRow& row);
  // `path` must not be empty.
  Result<void> access(ProcmonAccess access, std::string_view path);
  Result<void> finish(const std::string& file);

 private:
  struct PendingAccess {
    Event event;
    bool is_paging;
  };

  // Counts the row; false if it gives no event.
  bool is_read(const ProcmonAccess& access, uint32_t file);
  Result<uint32_t> number_of(std::string_view path);
  Result<void> hand_on_first();
  std::optional<int64_t> time_of(std::string_view text);

  TraceSink& sink_;
  ImportReport& report_;
  TextNumbers numbers_;
  TextNumbers file_numbers_;     // by one spelling: the rows of one file may differ in case
  std::vector<uint32_t> files_;  // by path
  CachedRanges cached_;          // by file
  std::deque<PendingAccess> held_;
  std::optional<int64_t> first_ns_;
  int64_t last_ns_ = 0;
  int64_t days_ns_ = 0;
};

// The error of POSIX that is nearest to an NTSTATUS; 0 for success.
int32_t os_error_of_status(uint32_t status);

// Of Process Monitor's Detail: the number after `key` ("Offset: "); nothing if there is none.
std::optional<uint64_t> procmon_number(std::string_view detail, std::string_view key);
// "4:33:26.8326315 PM", "18:11:37,4818361", "下午 4:33:26.83": nanoseconds since midnight. A mark
// of the half of the day stands alone before or after the time; what else stands there is passed
// over.
std::optional<int64_t> procmon_time_of_day(std::string_view text);

}  // namespace seekless
