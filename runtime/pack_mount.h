// A pack set or a single pack as a mount.
#pragma once

#include <string>

#include "runtime/mount.h"

namespace seekless::runtime {

// `path` is a set's folder, its catalog, or a single pack. `io` must outlive the mount.
Result<MountPointer> open_pack_mount(const FileIo& io, const std::string& path,
                                     const Memory& memory);

}  // namespace seekless::runtime
