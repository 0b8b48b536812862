// A mount that only this process and its children see: a mount name space of their own, and a user
// name space around it where this process isn't root.
#pragma once

#include <string>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// Whether all of this works, tried in a process of its own that ends at once: an error says what is
// missing, and what to do.
Result<void> try_to_mount(const std::string& folder);

// This process must have one thread. Mounts of others still come in; its own stay inside. Returns
// whether it is root of the machine, and needed no user name space.
Result<bool> enter_own_mounts();

// Mounts FUSE over `folder`, an absolute path. The descriptor is that of the device: whoever
// answers the calls takes it over, and every other copy is to be closed.
Result<Descriptor> mount_over(const std::string& folder, bool is_root);

// From now on paths lead to what lies below again. What is open stays as it is.
void uncover(const std::string& folder);

}  // namespace seekless
