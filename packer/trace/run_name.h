// Finds a trace's scenario from its file name, and whether the trace is one of several runs.
// docs/record.md describes the same rules for users.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Turns "rec/map_a.2.jsonl.lz4" into "map_a.2": the last component without the endings of traces.
// "-" gives "trace".
std::string trace_stem(std::string_view path);

// Returns the stem without a run's number: "map_a". Numbers written like these are certainly runs:
// "a.2", "a.r2", "a.run2", "a.run-2", "a (2)".
std::string scenario_of_file(std::string_view path);

// Turns "boot-2", "boot_2", "boot 2", "boot-run2" and "boot_r2" into "boot". Such a number may mean
// a run or a map ("level-2"); only the reads show which. `scenario` already lacks the number of a
// certain run.
std::optional<std::string> likely_scenario(std::string_view scenario);

// Holds a rule of the user: traces whose stems match the glob are runs of this scenario. If the
// scenario is empty, each trace is its own scenario, named by its stem.
struct RunRule {
  std::string glob;
  std::string scenario;

  // Parses "GLOB=NAME"; fails (wrong usage) on anything else.
  static Result<RunRule> parse(std::string_view text);
};

// Returns the first rule that matches this trace; returns null if none does.
const RunRule* rule_for(const std::vector<RunRule>& rules, std::string_view path);
// Returns the scenario that the rules give the trace; returns empty if no rule matches.
std::string scenario_by_rules(const std::vector<RunRule>& rules, std::string_view path);

}  // namespace seekless
