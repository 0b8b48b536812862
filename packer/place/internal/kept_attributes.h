// Copies a file's attributes: owner, permissions, access lists and other extended attributes, flags
// and times. A copy that will replace the file gets all of them before the copy has a name.
#pragma once

#include <string>

#include <sys/stat.h>

#include "packer/base/error.h"

namespace seekless {

// Copies the flags and the XFS attributes that decide how bytes are stored (compression, no
// copy-on-write, extent size hint) to `to`, which must be empty. `path` names `from` in messages.
// Fails if a flag can't be set.
Result<void> keep_flags(int from, const std::string& path, int to);

// Copies all other attributes, once the bytes are written. `status` is that of `from`. Fails if an
// attribute can't be set.
Result<void> keep_attributes(int from, const std::string& path, const struct stat& status, int to);

}  // namespace seekless
