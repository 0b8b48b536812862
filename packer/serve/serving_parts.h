// Tries what serving a folder takes from the system: the device, name spaces, mounts.
#pragma once

#include <span>
#include <string>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// Tries to mount over the folders, in a separate process that ends at once. If this process tried
// it and only a part worked, it would stay in a name space in which programs can't run as they
// would without seekless. Succeeds if one of the folders can be mounted over; otherwise the error
// says what is missing for the first, and what to do.
Result<void> try_to_mount(std::span<const std::string> folders);

constexpr const char* kNoFuse = "the kernel has no FUSE: as root modprobe fuse";

// Opens the device of FUSE, or says why that can't be done.
Result<Descriptor> open_fuse_device();

// Enters a name space of users in which this process keeps its own user, and no other is known. It
// can't leave that again.
Result<void> enter_own_users();

}  // namespace seekless
