// Shares code between the tests of both forms of Process Monitor's logs.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/trace/dialect.h"

namespace seekless {

inline const std::string kBom = "\xef\xbb\xbf";
inline const std::string kCsvHeader =
    "\"Time of Day\",\"Process Name\",\"PID\",\"Operation\",\"Path\",\"Result\",\"Detail\"\r\n";

inline constexpr int64_t kMicrosecond = 1000;

// Returns each read as "start path offset+length"; the start is in units of `unit_ns` nanoseconds.
inline std::vector<std::string> reads_of(const Trace& trace, int64_t unit_ns = 1) {
  std::vector<std::string> reads;
  for (const Event& event : trace.events)
    if (event.kind == EventKind::read)
      reads.push_back(fmt::format("{} {} {}+{}", event.start_ns / unit_ns,
                                  trace.paths.at(event.path), event.offset_bytes,
                                  event.length_bytes));
  return reads;
}

}  // namespace seekless
