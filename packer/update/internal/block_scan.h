// Counts how many bytes of a file are blocks of an earlier file, at any offset. It finds them as
// rsync does: by a rolling checksum over the new file, and by a strong checksum where the rolling
// one matches.
#pragma once

#include <cstdint>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

// The algorithm is that of Tridgell and Mackerras, "The rsync algorithm", 1996. Blocks of `old`
// begin at multiples of block_bytes_of(its size); a last, shorter block is ignored. Reads both
// files once. Needs 24 bytes of memory for each block, and three blocks.
Result<uint64_t> matched_block_bytes(const ByteSource& old, const ByteSource& now);

}  // namespace seekless
