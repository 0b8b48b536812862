// Clears away what a killed `mount` left behind: the kernel keeps the mount, and all below it is
// ENOTCONN until somebody unmounts it.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// Takes off all dead mounts of ours that lie over each other there, and nothing that is alive.
// Where that isn't allowed, or the dead mount is another program's, the error says what to call. To
// be called while this process has one thread.
Result<void> clear_dead_mounts(const std::string& folder);

}  // namespace seekless
