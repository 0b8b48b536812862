// Describes the planner's settings, one row each: the build file, its schema and the command line
// all read the rows.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "packer/base/error.h"
#include "packer/layout/rules.h"
#include "packer/plan/needs.h"
#include "packer/plan/planner.h"

namespace seekless {

// Holds the settings from one place: a build file or a command line.
struct PlanSettings {
  PlanOptions options;              // without its drive, which isn't set
  std::vector<std::string> drives;  // names or files; the first one decides
  // Keys of the settings below that were given; the others have their defaults.
  std::set<std::string_view> given;
};

// Stands for rules that set only an alignment; the build file lists those by pattern.
struct AlignmentRules {};

using PlanMember =
    std::variant<bool PlanOptions::*, double PlanOptions::*, std::optional<double> PlanOptions::*,
                 uint32_t PlanOptions::*, std::map<std::string, double> PlanOptions::*,
                 std::vector<Session> PlanOptions::*, std::vector<PlanRule> PlanOptions::*,
                 AlignmentRules, std::vector<std::string> PlanSettings::*>;

// Describes one setting. Its default is the member's value in PlanOptions().
struct PlanSetting {
  std::string_view key;  // in the build file
  // The option, such as "--budget"; empty if the command line sets the value in another way.
  std::string_view option;
  std::string_view takes;  // placeholder for the value in the help
  std::string_view help;   // a phrase; leaves out range, default and full stop
  double least = 0;        // smallest number allowed; a 32-bit setting must be a power of two
  double most = 0;
  PlanMember goes_to;
};

// Lists the settings in the order in which they are read: alignments come before rules, which may
// override them.
std::span<const PlanSetting> plan_setting_table();
const PlanSetting& plan_setting(std::string_view key);

// Returns the help, followed by the range if that consists of powers of two.
std::string help_of(const PlanSetting& setting);
// Returns "1 or more" or "a power of two from 65536 to 16777216"; empty for other settings.
std::string range_of(const PlanSetting& setting);
// Returns the default as people would write it; empty if there is none.
std::string usual_of(const PlanSetting& setting);
// Returns the setting's part of schemas/build.schema.json. The part for "rules" is written by hand.
nlohmann::ordered_json schema_of(const PlanSetting& setting);

// Checks a number, or one of several. `place` is for the error.
Result<void> check_number(const PlanSetting& setting, double number, const std::string& file,
                          const std::string& place);

// Merges `first` into `settings`: rules and weights are joined; of other settings that both have,
// `first` wins.
PlanSettings with(PlanSettings settings, const PlanSettings& first);

}  // namespace seekless
