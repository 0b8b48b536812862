// Reads the planner's part of the build file, which is decided once for a game and kept beside its
// build files. The format is JSON with comments, as in schemas/build.schema.json. `build` takes the
// rest of it from packer/project/build_file.h.
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

// Holds what the file says. Whatever it doesn't name keeps its default.
struct PlanSettings {
  std::optional<double> budget_ratio;
  std::optional<double> gain_s_per_gb;
  std::optional<uint64_t> block_bytes;
  std::vector<std::string> drives;  // names or files; the first one decides
  bool drop_outliers = false;
  bool fold_case = false;
  std::map<std::string, double> weights;
  std::vector<Session> sessions;
  std::vector<PlanRule> rules;  // alignments come first
};

inline constexpr uint64_t kMostBuildFileBytes = uint64_t{16} << 20;

// Lists the keys of the whole file, including those that the planner ignores.
inline constexpr std::array<std::string_view, 28> kBuildFileKeys = {
    "$schema",       "content", "exclude", "opaque", "keep_archives", "strict",   "fold_case",
    "traces",        "map",     "split",   "mark",   "runs",          "lenient",  "drives",
    "budget",        "gain",    "block",   "align",  "weights",       "sessions", "rules",
    "drop_outliers", "outputs", "lock",    "report", "state",         "threads",  "generations"};

// Parses JSON with comments. Text that isn't JSON is an error of kind usage.
Result<nlohmann::ordered_json> parse_build_json(std::string_view text, const std::string& file);
Result<PlanSettings> to_plan_settings(const nlohmann::ordered_json& json, const std::string& file);

// Parses untrusted text. `file` is for the error, which names the key, what was expected and, for
// an unknown key, the most similar known one.
Result<PlanSettings> parse_plan_settings(std::string_view text, const std::string& file);
// Reads a file of at most 16 MiB.
Result<PlanSettings> read_plan_settings(const std::string& path);

// Merges the settings of two places. Those of `first` override those of `settings`. Its rules come
// after the others, so that they win.
PlanSettings with(PlanSettings settings, PlanSettings first);

// Turns settings into the planner's options. Drive files that they name are relative to the build
// file.
Result<PlanOptions> plan_options_of(PlanSettings settings, const std::string& build_file);

// Resolves a drive file's name relative to the folder of the build file.
std::string drive_beside(const std::string& name, const std::string& build_file);

// Command-line options use these checks, too. `place` is for the error.
Result<void> check_budget(double ratio, const std::string& file, const std::string& place);
Result<void> check_gain(double seconds_per_gb, const std::string& file, const std::string& place);
Result<void> check_block(uint64_t bytes, const std::string& file, const std::string& place);
Result<void> check_weight(double weight, const std::string& file, const std::string& place);
Result<void> check_session(const Session& session, const std::string& file,
                           const std::string& place);

}  // namespace seekless
