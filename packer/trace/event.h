// The one neutral form that every dialect of trace is turned into: what was read, when, by whom.
// Dialects write it into a TraceSink, file by file, in bounded memory; the profile reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

enum class EventKind : uint8_t {
  open,  // offset and length are 0
  read,
  map,  // mapped into memory: which of its pages were touched isn't known
};

inline constexpr int64_t kSecondNs = 1'000'000'000;
inline constexpr int64_t kDayNs = 86400 * kSecondNs;
inline constexpr int64_t kUnknownDuration = -1;
// Times and durations are at most this far from 0 (71 years), so that sums of them can't overflow;
// a place in a file, offset plus length, is at most the integer that every reader of JSON keeps.
inline constexpr int64_t kTimeLimitNs = (int64_t{1} << 51) * 1000;
inline constexpr uint64_t kPlaceLimitBytes = uint64_t{1} << 53;
inline constexpr uint64_t kWholeFile = UINT64_MAX;  // as a length: the dialect tells names only

struct Event {
  int64_t start_ns = 0;  // since the trace began
  int64_t duration_ns = kUnknownDuration;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // what was really delivered
  uint32_t path = 0;          // number given by TraceSink::add_path
  uint32_t process = 0;
  uint32_t thread = 0;
  int32_t os_error = 0;  // of an open that failed; 0 otherwise
  EventKind kind = EventKind::read;
  bool is_for_reading = true;  // false for an open of which it is known that it reads nothing

  bool operator==(const Event&) const = default;
};

// A read that took half a millisecond, and longer than memory needs at 1 GB/s (1 ns a byte), had to
// wait for a drive: no disk seeks that fast, and recorders add less than a tenth of it to a call.
inline constexpr int64_t kWaitNs = 500'000;

inline bool waited_for_drive(const Event& read) {
  return read.duration_ns >= kWaitNs &&
         static_cast<uint64_t>(read.duration_ns - kWaitNs) >= read.length_bytes;
}

// A scenario begins or ends. What comes before the first mark belongs to the trace's own scenario.
struct Mark {
  int64_t time_ns = 0;
  std::string scenario = {};
  bool begins = true;

  bool operator==(const Mark&) const = default;
};

// What a trace says of itself; every part may be empty.
struct TraceHeader {
  std::string scenario = {};
  std::string machine = {};
  std::string command = {};
  std::string dialect = {};   // what it was imported from
  int64_t began_unix_ns = 0;  // wall clock of time 0; 0 if unknown

  bool operator==(const TraceHeader&) const = default;
};

// Takes a trace as it is parsed. The header comes first and once, a path before the events that
// name it. Whoever calls keeps to the limits above. Events come by start time except where a
// dialect can't help it: a call that took long may come late, so whoever needs the exact order
// sorts (stably, by start_ns).
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual Result<void> begin(const TraceHeader& header) = 0;
  // Paths are numbered from 0 in the order they are added. Bytes as they were recorded.
  virtual Result<void> add_path(std::string_view path) = 0;
  virtual Result<void> add_event(const Event& event) = 0;
  virtual Result<void> add_mark(const Mark& mark) = 0;
};

// A whole trace in memory.
struct Trace final : TraceSink {
  TraceHeader header;
  std::vector<std::string> paths;
  std::vector<Event> events;
  std::vector<Mark> marks;

  Result<void> begin(const TraceHeader& of) override {
    header = of;
    return {};
  }
  Result<void> add_path(std::string_view path) override {
    paths.emplace_back(path);
    return {};
  }
  Result<void> add_event(const Event& event) override {
    events.push_back(event);
    return {};
  }
  Result<void> add_mark(const Mark& mark) override {
    marks.push_back(mark);
    return {};
  }
};

}  // namespace seekless
