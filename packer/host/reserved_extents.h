// Where room lies that a file has reserved and not written, beside what it has written.
#pragma once

#include "packer/host/extents.h"

namespace seekless {

// As read_extents(), of an open file that messages call `name`, with what reads as zeros too, and
// of its first `size_bytes` whether it is that long or not.
Result<FileExtents> read_reserved_extents(int descriptor, const std::string& name,
                                          uint64_t size_bytes);

}  // namespace seekless
