// Turns rows of Process Monitor's log, CSV or PML, into events, and applies the rule for paging
// reads. A cached read and the paging reads that it causes are both logged. So a paging read counts
// only if no cached read of the file, earlier or soon after (read-ahead), touches its range. A
// paging read that counts comes from a mapped file. It becomes a `read`, not a `map`, because its
// pages were certainly fetched.
//
// A row with END OF FILE has the requested length. If earlier reads of the file end at exactly its
// offset, it delivered nothing and gives no event. Otherwise it counts as a read of the requested
// length, which may end past the file's end.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
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
  uint64_t length_bytes = 0;  // kWholeFile if unknown
  uint32_t status = 0;        // an NTSTATUS
  bool is_paging = false;
  bool is_for_reading = true;  // meaningful for opens only
};

// Holds the fields as text; a missing column gives an empty field.
struct ProcmonRow {
  std::string_view time_of_day, pid, tid, operation, path, result, detail, duration;
};

class ProcmonEvents {
 public:
  // A paging read waits for up to this many events, because the cached read that explains it may
  // come later (read-ahead).
  static constexpr size_t kMaxHeld = size_t{1} << 14;

  ProcmonEvents(TraceSink& sink, ImportReport& report) : sink_(sink), report_(report) {}

  // Returns false if the row can't be understood. Rows that are neither reads nor opens are
  // skipped.
  Result<bool> row(const ProcmonRow& row);
  // `path` must not be empty.
  Result<void> access(ProcmonAccess access, std::string_view path);
  Result<void> finish(const std::string& file);

 private:
  struct PendingAccess {
    Event event;
    bool is_paging;
  };

  // Counts the row; returns false if the row gives no event.
  bool is_read(const ProcmonAccess& access, uint32_t file);
  Result<uint32_t> number_of(std::string_view path);
  Result<void> hand_on_first();
  std::optional<int64_t> time_of(std::string_view text);

  TraceSink& sink_;
  ImportReport& report_;
  TextNumbers numbers_;
  // Rows may write a file's name in different case, so one spelling is used.
  TextNumbers file_numbers_;
  std::vector<uint32_t> files_;  // indexed by path
  CachedRanges cached_;          // keyed by file
  std::deque<PendingAccess> held_;
  std::optional<int64_t> first_ns_;
  int64_t last_ns_ = 0;
  int64_t days_ns_ = 0;
};

// Returns the POSIX error nearest to an NTSTATUS; returns 0 for success.
int32_t os_error_of_status(uint32_t status);

// Returns the number after `key` ("Offset: ") in Process Monitor's Detail; returns nothing if there
// is none.
std::optional<uint64_t> procmon_number(std::string_view detail, std::string_view key);
// Returns nanoseconds since midnight for "4:33:26.8326315 PM", "下午 4:33:26.83" or
// "18:11:37,4818361". An AM or PM mark may stand before or after the time; other text there is
// ignored.
std::optional<int64_t> procmon_time_of_day(std::string_view text);

}  // namespace seekless
