// The hash of an asset that brings none of its own: of loose files and zips.
#pragma once

#include "runtime/mount.h"

namespace seekless::runtime {

// Reads all of it: in pieces where it lies as it is, at once where it must be decoded.
Result<format::ContentHash> hash_content(const Mount& mount, const Place& place,
                                         const Memory& memory);

}  // namespace seekless::runtime
