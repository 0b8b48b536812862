// Finds where the pieces of an open file lie, even those that are reserved but unwritten.
#pragma once

#include "packer/host/extents.h"

namespace seekless {

// Returns what read_extents() returns, for an open file. Messages call it `name`.
Result<FileExtents> read_open_extents(int descriptor, const std::string& name);

// Returns also the parts that read as zeros, for the file's first `size_bytes`, even if it is
// shorter.
Result<FileExtents> read_reserved_extents(int descriptor, const std::string& name,
                                          uint64_t size_bytes);

}  // namespace seekless
