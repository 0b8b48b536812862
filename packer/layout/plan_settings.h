// The planner's part of the build file: what is decided once for a game and kept beside its build
// files. JSON as in schemas/build.schema.json, with comments.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/host/error.h"
#include "packer/layout/needs.h"
#include "packer/layout/rules.h"

namespace seekless {

// Scenarios, drives and the like that the file doesn't name stay as they would be without it.
struct PlanSettings {
  std::optional<double> budget_ratio;
  std::optional<double> gain_s_per_gb;
  std::map<std::string, double> weights;
  std::vector<Session> sessions;
  std::vector<PlanRule> rules;
};

// Anyone may have written the text; `file` is for the error, which tells the key, what was
// expected and, for an unknown key, which one is meant.
Result<PlanSettings> parse_plan_settings(std::string_view text, const std::string& file);
// At most 16 MiB.
Result<PlanSettings> read_plan_settings(const std::string& path);

// What options of the same meaning check, too. `place` is for the error.
Result<void> check_budget(double ratio, const std::string& file, const std::string& place);
Result<void> check_gain(double seconds_per_gb, const std::string& file, const std::string& place);
Result<void> check_weight(double weight, const std::string& file, const std::string& place);
Result<void> check_session(const Session& session, const std::string& file,
                           const std::string& place);

}  // namespace seekless
