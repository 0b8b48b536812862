// What a scenario may be called. Names come from files of recordings, from marks in them and from
// people; they go to profiles, layouts and catalogs, which take no others.
#pragma once

#include <string>
#include <string_view>

#include "runtime/asset_path.h"

namespace seekless {

inline constexpr const char* kScenarioNames = "a name in UTF-8 without control characters";

// What is found instead; empty: it is one.
inline std::string fault_of_scenario_name(std::string_view name) {
  if (is_plain_name(name)) return "";
  if (name.empty()) return "none";
  return is_valid_utf8(name) ? "a control character in it" : "bytes that aren't UTF-8";
}

}  // namespace seekless
