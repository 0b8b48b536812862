// Hashes an asset of a loose file or a zip, because neither stores a hash.
#pragma once

#include "runtime/mount.h"

namespace seekless::runtime {

// Reads the whole asset: in pieces if it is stored uncompressed, or as a whole if it must be
// decoded.
Result<format::ContentHash> hash_content(const Mount& mount, const Place& place,
                                         const Memory& memory);

}  // namespace seekless::runtime
