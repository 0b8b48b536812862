// What the name of a trace's file tells: its scenario, and whether it is one run of
// several. docs/record.md tells users the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// "rec/map_a.2.jsonl.lz4" -> "map_a.2": the last component without the endings of traces. "-" gives
// "trace".
std::string trace_stem(std::string_view path);

// The stem without a run's number at its end: "map_a". These are runs for certain: "a.2", "a.r2",
// "a.run2", "a.run-2", "a (2)".
std::string scenario_of_file(std::string_view path);

// "boot-2", "boot_2", "boot 2", "boot-run2", "boot_r2" -> "boot": a number that may be a run's as
// well as a map's ("level-2"). Which, what they read must tell. `scenario` is without the number of
// a certain run.
std::optional<std::string> likely_scenario(std::string_view scenario);

// What the user says of traces whose stems match: that they are runs of this scenario, or, if it is
// empty, of none but that of their own names.
struct RunRule {
  std::string glob;
  std::string scenario;

  // "GLOB=NAME"; fails (wrong usage) on anything else.
  static Result<RunRule> parse(std::string_view text);
};

// The first that fits this trace; null: none does.
const RunRule* rule_for(const std::vector<RunRule>& rules, std::string_view path);
// What the rules say that the trace is a run of; empty: nothing.
std::string scenario_by_rules(const std::vector<RunRule>& rules, std::string_view path);

}  // namespace seekless
