// Finds where the pieces of an open file lie, also those that are reserved but unwritten.
#pragma once

#include "packer/host/extents.h"

namespace seekless {

// Does what read_extents() does, for an open file that messages call `name`.
Result<FileExtents> read_open_extents(int descriptor, const std::string& name);

// Does the same with parts that read as zeros too, for the file's first `size_bytes` even if it is
// shorter.
Result<FileExtents> read_reserved_extents(int descriptor, const std::string& name,
                                          uint64_t size_bytes);

}  // namespace seekless
