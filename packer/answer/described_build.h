// A build's JSON (schemas/build-result.schema.json) as a report for people.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/answer/build_report.h"
#include "packer/base/error.h"
#include "packer/drive/profile.h"
#include "packer/layout/layout.h"

namespace seekless {

// `last` is of the build before, if there was one. Predictions are for `drive`. Error: JSON that no
// build has told, as `file` says where it is from.
Result<BuildReport> describe_build(const std::string& build_file, const DriveProfile& drive,
                                   const nlohmann::ordered_json& build,
                                   const std::optional<nlohmann::ordered_json>& last,
                                   const std::string& file);

// The assets that take most room, and those whose copies do: as many as a report can show.
void add_assets(const Layout& layout, BuildReport& report);

}  // namespace seekless
