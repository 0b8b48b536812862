// A folder of loose files as a mount: mods, and content under development.
#pragma once

#include <string>

#include "runtime/memory.h"
#include "runtime/mount.h"

namespace seekless::runtime {

// Lists the folder now, by name. Links, pipes and devices in it are left out. A file is opened when
// it is read, and must be the one that was listed then: else STALE. `io` must outlive the mount.
// Errors: those of listing, and UNSUPPORTED for a name that no asset may have.
Result<MountPointer> open_folder_mount(const FileIo& io, const std::string& folder, bool folds_case,
                                       const Memory& memory);

}  // namespace seekless::runtime
