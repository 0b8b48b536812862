// The planner's part of the build file: what is decided once for a game and kept beside its build
// files. JSON as in schemas/build.schema.json, with comments. `build` takes the rest of it from
// packer/project/build_file.h.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/base/error.h"
#include "packer/layout/rules.h"
#include "packer/plan/needs.h"
#include "packer/plan/planner.h"

namespace seekless {

// Scenarios, drives and the like that the file doesn't name stay as they would be without it.
struct PlanSettings {
  std::optional<double> budget_ratio;
  std::optional<double> gain_s_per_gb;
  std::optional<uint64_t> block_bytes;
  std::vector<std::string> drives;  // names or files; the first decides
  bool drop_outliers = false;
  bool fold_case = false;
  std::map<std::string, double> weights;
  std::vector<Session> sessions;
  std::vector<PlanRule> rules;  // alignments first
};

inline constexpr uint64_t kMostBuildFileBytes = uint64_t{16} << 20;

// Of the whole file, also those that the planner has no use for.
inline constexpr std::array<std::string_view, 28> kBuildFileKeys = {
    "$schema",       "content", "exclude", "opaque", "keep_archives", "strict",   "fold_case",
    "traces",        "map",     "split",   "mark",   "runs",          "lenient",  "drives",
    "budget",        "gain",    "block",   "align",  "weights",       "sessions", "rules",
    "drop_outliers", "outputs", "lock",    "report", "state",         "threads",  "generations"};

// The text as JSON, comments left out; what is no JSON is an error of kind usage.
Result<nlohmann::ordered_json> parse_build_json(std::string_view text, const std::string& file);
Result<PlanSettings> to_plan_settings(const nlohmann::ordered_json& json, const std::string& file);

// Anyone may have written the text; `file` is for the error, which tells the key, what was
// expected and, for an unknown key, which one is meant.
Result<PlanSettings> parse_plan_settings(std::string_view text, const std::string& file);
// At most 16 MiB.
Result<PlanSettings> read_plan_settings(const std::string& path);

// What was asked for in two places: what `first` says goes before, and rules come after those of
// `settings`, so that they count.
PlanSettings with(PlanSettings settings, PlanSettings first);

// What follows from it for the planner; drives' files that it names lie beside the build file.
Result<PlanOptions> plan_options_of(PlanSettings settings, const std::string& build_file);

// A drive's file is named from the folder of the build file.
std::string drive_beside(const std::string& name, const std::string& build_file);

// What options of the same meaning check, too. `place` is for the error.
Result<void> check_budget(double ratio, const std::string& file, const std::string& place);
Result<void> check_gain(double seconds_per_gb, const std::string& file, const std::string& place);
Result<void> check_block(uint64_t bytes, const std::string& file, const std::string& place);
Result<void> check_weight(double weight, const std::string& file, const std::string& place);
Result<void> check_session(const Session& session, const std::string& file,
                           const std::string& place);

}  // namespace seekless
