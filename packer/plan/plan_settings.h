// Reads the planner's part of the build file, which a team decides on once for a game. The format
// is JSON with comments, as in schemas/build.schema.json. packer/project/build_file.h reads the
// rest of the file.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "packer/base/error.h"
#include "packer/plan/plan_setting.h"

namespace seekless {

inline constexpr uint64_t kMostBuildFileBytes = uint64_t{16} << 20;

// Lists the build file's keys that the planner ignores.
inline constexpr std::array<std::string_view, 19> kOtherBuildFileKeys = {
    "$schema", "content", "exclude", "opaque",  "take_apart", "keep_archives", "strict",
    "traces",  "map",     "split",   "mark",    "runs",       "lenient",       "outputs",
    "lock",    "report",  "state",   "threads", "generations"};

// Parses JSON with comments. Text that isn't JSON is an error of kind usage.
Result<nlohmann::ordered_json> parse_build_json(std::string_view text, const std::string& file);
Result<PlanSettings> to_plan_settings(const nlohmann::ordered_json& json, const std::string& file);

// Parses untrusted text. `file` is for the error, which names the key, what was expected and, for
// an unknown key, the most similar known one.
Result<PlanSettings> parse_plan_settings(std::string_view text, const std::string& file);
// Reads a file of at most 16 MiB.
Result<PlanSettings> read_plan_settings(const std::string& path);

// Turns settings into the planner's options. Drive files that they name are relative to the build
// file.
Result<PlanOptions> plan_options_of(PlanSettings settings, const std::string& build_file);

// Resolves a drive file's name relative to the folder of the build file.
std::string drive_beside(const std::string& name, const std::string& build_file);

// Checks a session from the build file or the command line. `place` is for the error.
Result<void> check_session(const Session& session, const std::string& file,
                           const std::string& place);

}  // namespace seekless
