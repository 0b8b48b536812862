// Defines the neutral form of a trace: which bytes were read, when, and by whom. Every dialect
// turns its input into events for a TraceSink, in bounded memory; the profile reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

enum class EventKind : uint8_t {
  open,  // an open; offset and length are 0
  read,
  map,  // a mapping into memory; the trace doesn't show which pages were touched
};

inline constexpr int64_t kSecondNs = 1'000'000'000;
inline constexpr int64_t kDayNs = 86400 * kSecondNs;
inline constexpr int64_t kUnknownDuration = -1;
// Times and durations are at most 71 years from 0, so sums of them can't overflow. Offset plus
// length is at most the largest integer that every JSON reader keeps exactly.
inline constexpr int64_t kTimeLimitNs = (int64_t{1} << 51) * 1000;
inline constexpr uint64_t kPlaceLimitBytes = uint64_t{1} << 53;
inline constexpr uint64_t kWholeFile = UINT64_MAX;  // the length if a dialect reports only names

struct Event {
  int64_t start_ns = 0;  // since the trace began
  int64_t duration_ns = kUnknownDuration;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // bytes that the read delivered
  uint32_t path = 0;          // number given by TraceSink::add_path
  uint32_t process = 0;
  uint32_t thread = 0;
  int32_t os_error = 0;  // the error of a failed open; 0 otherwise
  EventKind kind = EventKind::read;
  bool is_for_reading = true;  // false if an open is known to read nothing

  bool operator==(const Event&) const = default;
};

// A read waited for a drive if it took at least half a millisecond, and longer than memory needs at
// 1 GB/s (1 ns a byte). No disk seeks faster than that, and recorders add less than a tenth of it
// to a call.
inline constexpr int64_t kWaitNs = 500'000;

inline bool waited_for_drive(const Event& read) {
  return read.duration_ns >= kWaitNs &&
         static_cast<uint64_t>(read.duration_ns - kWaitNs) >= read.length_bytes;
}

// Marks where a scenario begins or ends. Events before the first mark belong to the trace's own
// scenario.
struct Mark {
  int64_t time_ns = 0;
  std::string scenario = {};
  bool begins = true;

  bool operator==(const Mark&) const = default;
};

// Holds a trace's description of itself; every part may be empty.
struct TraceHeader {
  std::string scenario = {};
  std::string machine = {};
  std::string command = {};
  std::string dialect = {};   // the dialect it was imported from
  int64_t began_unix_ns = 0;  // wall clock of time 0; 0 if unknown

  bool operator==(const TraceHeader&) const = default;
};

// Receives a trace as it is parsed. The header comes first, once; a path comes before the events
// that refer to it. The caller keeps to the limits above. Events come mostly in order of start
// time; the event of a long call may come late. Code that needs the exact order sorts stably by
// start_ns.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual Result<void> begin(const TraceHeader& header) = 0;
  // Paths are numbered from 0 in the order they are added. Their bytes are kept as recorded.
  virtual Result<void> add_path(std::string_view path) = 0;
  virtual Result<void> add_event(const Event& event) = 0;
  virtual Result<void> add_mark(const Mark& mark) = 0;
};

// Holds a whole trace in memory.
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
