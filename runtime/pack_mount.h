// Mounts a pack set or a single pack.
#pragma once

#include <string>

#include "runtime/decoded_frames.h"
#include "runtime/mount.h"

namespace seekless::runtime {

// `path` is a set's folder, its catalog, or a single pack. `io` and `decoded`, which may be null,
// must outlive the mount.
Result<MountPointer> open_pack_mount(const FileIo& io, const std::string& path,
                                     const Memory& memory, DecodedFrames* decoded = nullptr);

}  // namespace seekless::runtime
