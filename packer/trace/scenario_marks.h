// Parses marks that users set after recording: a scenario begins at a time, or at the first access
// to a path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "packer/base/error.h"

namespace seekless {

struct TimeMark {
  int64_t time_ns = 0;
  bool is_unix = false;  // since 1970; otherwise since the trace began
  std::string scenario;  // if empty, the trace's own scenario continues

  bool operator==(const TimeMark&) const = default;
};

// Parses "TIME=NAME". TIME is seconds since the trace began ("12.5"), seconds since 1970 (from 1973
// on), or "2026-11-21T12:51:04.5Z", where the zone may also be "+01:00". Fails (wrong usage) on
// anything else.
Result<TimeMark> parse_time_mark(std::string_view text);

// Returns the name of a scenario that begins with the path: "map/rush.wrf" gives "rush".
std::string scenario_of_path(std::string_view path);

}  // namespace seekless
