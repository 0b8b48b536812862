// Computes what recorded loads cost with the files where they really lie, for commands that judge
// the drive that the content lies on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/shipped_loads.h"

namespace seekless {

// Returns the seconds of each scenario's median run. They include the time to find the files, as
// far as the file system tells, like in `place --dry-run`. Returns none if the system doesn't tell
// where files lie: in memory, on a network, on several devices, or beyond the drive's end.
std::optional<SecondsAfter> seconds_where_files_lie(const Content& content,
                                                    const std::vector<std::string>& roots,
                                                    const KeptRuns& runs,
                                                    const DriveProfile& drive);

}  // namespace seekless
