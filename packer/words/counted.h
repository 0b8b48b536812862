// Writes a number of things for sentences: "1 file", "2 files", "3 entries".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace seekless {

// Pass `several` for irregular plurals.
inline std::string counted(uint64_t number, std::string_view one, std::string_view several = {}) {
  if (number == 1) return fmt::format("1 {}", one);
  return several.empty() ? fmt::format("{} {}s", number, one)
                         : fmt::format("{} {}", number, several);
}

// Converts to decimal megabytes, the unit in which disks are sold.
inline double megabytes(uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

// Returns "asset " or "assets", which have the same width for columns.
inline std::string_view assets_noun(uint64_t number) {
  return number == 1 ? "asset " : "assets";
}

}  // namespace seekless
