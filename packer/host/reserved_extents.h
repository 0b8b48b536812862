// Finds where the pieces of an open file lie, even those that are reserved but unwritten.
#pragma once

#include <string>

#include "packer/host/descriptor.h"
#include "packer/host/extents.h"

namespace seekless {

// Returns what read_extents() returns, for an open file. Messages call it `name`.
Result<FileExtents> read_open_extents(int descriptor, const std::string& name);

// Returns a file without a name, in `folder` or on its file system, for which this much space is
// reserved in one call; file systems try to give it in one piece. Its own size stays 0. The room is
// free again once the file is closed. Fails if there isn't enough.
Result<Descriptor> reserve_room(const std::string& folder, uint64_t size_bytes);

// Covers the file's first `size_bytes`, even if it is shorter, and includes parts that read as
// zeros.
Result<FileExtents> read_reserved_extents(int descriptor, const std::string& name,
                                          uint64_t size_bytes);

}  // namespace seekless
