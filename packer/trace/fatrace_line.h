// One line of what fatrace prints, as text or as JSON (--json), taken apart for fatrace.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seekless {

struct FatraceLine {
  std::optional<int64_t> unix_ns;
  std::optional<int64_t> day_ns;  // since midnight
  uint32_t process = 0;
  std::string kinds;  // of "RCWO+D<>"
  std::string path;   // "" where fatrace found no name
};

// False if `text` is no such line; `line` is then anything.
bool split_fatrace_line(std::string_view text, FatraceLine& line);

}  // namespace seekless
