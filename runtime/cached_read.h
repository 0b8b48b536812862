// Reads bytes in the page cache on the caller's thread, because handing such a read to another
// thread takes longer than the read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/file_io.h"

namespace seekless::runtime {

// Fills `into` if all its bytes are in the page cache. Otherwise returns false. It causes no reads
// from the device, except the system's own read-ahead, because reads could move the head out of
// turn. It works on Linux from 6.5 on; newer versions allow it only if the user owns the file or
// may write to it. On other systems it returns false, also on Android, whose system call filter
// kills a process that makes the call.
bool read_cached(const File& file, uint64_t offset_bytes, std::span<std::byte> into);

}  // namespace seekless::runtime
