// The hash of an asset of a loose file or a zip, which have none stored.
#pragma once

#include "runtime/mount.h"

namespace seekless::runtime {

// Reads all of it: in pieces if it is stored as it is, at once if it must be decoded.
Result<format::ContentHash> hash_content(const Mount& mount, const Place& place,
                                         const Memory& memory);

}  // namespace seekless::runtime
