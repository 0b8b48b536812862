// Half-written files that a killed program left: PendingFile's, under their temporary names.
#pragma once

#include <string>

#include "packer/host/error.h"

namespace seekless {

// Removes those right in `folder` whose writer runs no more on this machine. No error if there is
// no such folder.
Result<void> remove_leftovers(const std::string& folder);

}  // namespace seekless
