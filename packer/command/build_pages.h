// A build's reports for people: the page, and the summary for a CI job's page, if the build file
// asks for them. Made of the build's JSON, the layout in the state folder, and the packs' tables.
#pragma once

#include <optional>

#include "packer/build/build_file.h"
#include "packer/command/command.h"
#include "packer/drive/profile.h"

namespace seekless {

// `build` is as in schemas/build-result.schema.json; `last` is that of the build before, if there
// was one. Predictions are for `drive`.
Result<void> write_build_pages(const BuildFile& file, const DriveProfile& drive, const Json& build,
                               const std::optional<Json>& last);

}  // namespace seekless
