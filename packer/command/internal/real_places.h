// What recorded loads cost with their files where they really lie, for whoever judges the drive
// that the content lies on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/shipped_loads.h"

namespace seekless {

// Of each scenario's median run, with what it takes to find the files as far as the file system
// tells, as `place --dry-run` has it. None where the system doesn't tell where they lie: in memory,
// on a network, on several devices, or beyond the drive's end.
std::optional<SecondsAfter> seconds_where_files_lie(const Content& content,
                                                    const std::vector<std::string>& roots,
                                                    const KeptRuns& runs,
                                                    const DriveProfile& drive);

}  // namespace seekless
