// Removes a mount that a killed `mount` left behind: the kernel keeps it, and everything below it
// gives ENOTCONN until somebody unmounts it.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// Unmounts all our dead mounts on this folder, even several on top of each other, and no live one.
// If that isn't allowed, or the dead mount is another program's, the error names the command to
// call. Call this while this process has one thread.
Result<void> clear_dead_mounts(const std::string& folder);

}  // namespace seekless
