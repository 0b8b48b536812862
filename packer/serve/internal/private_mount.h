// Makes a mount that only this process and its children see: in a mount name space of their own,
// and in a user name space around it unless this process is root.
#pragma once

#include <span>
#include <string>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// Tries all of this in a process of its own that ends at once. Succeeds if one of the folders can
// be mounted over; otherwise the error says what is missing for the first, and what to do.
Result<void> try_to_mount(std::span<const std::string> folders);

// This process must have one thread. Mounts made outside still appear inside; mounts made inside
// stay there. Returns true if this process is root of the machine, and needed no user name space.
Result<bool> enter_own_mounts();

// Mounts FUSE over `folder`, an absolute path. Returns the device's descriptor: the process that
// answers the calls takes it over, and every other copy must be closed.
Result<Descriptor> mount_over(const std::string& folder, bool is_root);

// Makes paths lead to the original folder again. Open files stay as they are.
void uncover(const std::string& folder);

}  // namespace seekless
