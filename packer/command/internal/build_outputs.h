// What a build leaves besides its packs and archives: its outcome for the next build, and reports
// for people and machines, if the build file asks for them.
#pragma once

#include <optional>
#include <string>

#include "packer/command/internal/command.h"
#include "packer/drive/profile.h"
#include "packer/project/build_file.h"

namespace seekless {

// The last build's, as one that found nothing to do tells it; none if it can't be read.
std::optional<Json> last_outcome(const BuildFile& file, const DriveProfile& drive, double seconds);

// To the record of releases in the state folder, if there was a lock to compare with.
Result<void> add_release(const BuildFile& file, const Json& build);

// The JSON that the build file asks for.
Result<void> write_report(const BuildFile& file, const Json& build);

// The outcome into the state folder, and all reports: the JSON, the page, and the summary for a CI
// job's page, made of the build's JSON, the layout in the state folder, and the packs' tables.
// `build` is as in schemas/build-result.schema.json; `last` is that of the build before, if there
// was one. Predictions are for `drive`.
Result<void> write_outcome(const BuildFile& file, const DriveProfile& drive, const Json& build,
                           const std::optional<Json>& last);

Result<void> copy_layout(const BuildFile& file, const std::string& to);

}  // namespace seekless
