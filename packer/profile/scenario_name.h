// Defines valid names of scenarios. Names come from the files of recordings, from marks in them and
// from people. They go into profiles, layouts and catalogs, which accept only valid ones.
#pragma once

#include <string>
#include <string_view>

#include "runtime/asset_path.h"

namespace seekless {

inline constexpr const char* kScenarioNames = "a name in UTF-8 without control characters";

// Returns a description of the name's fault; empty if it is valid.
inline std::string fault_of_scenario_name(std::string_view name) {
  if (is_plain_name(name)) return "";
  if (name.empty()) return "none";
  return is_valid_utf8(name) ? "a control character in it" : "bytes that aren't UTF-8";
}

}  // namespace seekless
