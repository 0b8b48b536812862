// Turns a build's answer into the report that people read.
#pragma once

#include "packer/answer/build_answer.h"
#include "packer/answer/build_report.h"
#include "packer/drive/profile.h"
#include "packer/layout/layout.h"

namespace seekless {

// `last` is the answer of the build before; null if there was none. Predictions are for `drive`.
BuildReport describe_build(const BuildAnswer& build, const BuildAnswer* last,
                           const DriveProfile& drive);

// Adds the assets that take most space, and those whose copies take most space, as many as a report
// can show.
void add_assets(const Layout& layout, BuildReport& report);

}  // namespace seekless
