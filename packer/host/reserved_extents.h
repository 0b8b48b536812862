// Where the pieces of an open file lie; also of room that it has reserved and not written.
#pragma once

#include "packer/host/extents.h"

namespace seekless {

// As read_extents(), of an open file that messages call `name`.
Result<FileExtents> read_open_extents(int descriptor, const std::string& name);

// As read_extents(), of an open file that messages call `name`, with what reads as zeros too, and
// of its first `size_bytes` whether it is that long or not.
Result<FileExtents> read_reserved_extents(int descriptor, const std::string& name,
                                          uint64_t size_bytes);

}  // namespace seekless
