// Writes a build's other outputs: its answer, which the next build reads, and the reports that the
// build file asks for.
#pragma once

#include <optional>
#include <string>

#include "packer/answer/build_answer.h"
#include "packer/base/error.h"
#include "packer/drive/profile.h"
#include "packer/project/build_file.h"

namespace seekless {

// Returns the last build's answer, for a build that finds nothing to do; none if it can't be read.
std::optional<BuildAnswer> last_outcome(const BuildFile& file, double seconds);

// Adds this release to the history in the state folder, if there was a lock to compare with.
Result<void> add_release(const BuildFile& file, const BuildAnswer& build);

// Writes the JSON that the build file asks for.
Result<void> write_report(const BuildFile& file, const BuildAnswer& build);

// Writes the answer into the state folder, and all reports: the JSON, the page, and the summary for
// a CI job's page. The reports are made from the answer, the layout in the state folder, and the
// packs' tables. `last` is the previous build's answer, or null. Predictions are for `drive`.
Result<void> write_outcome(const BuildFile& file, const DriveProfile& drive,
                           const BuildAnswer& build, const BuildAnswer* last);

Result<void> copy_layout(const BuildFile& file, const std::string& to);

}  // namespace seekless
