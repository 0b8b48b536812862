// Counts how many bytes of a file are blocks of an earlier one, at any offset. It finds them as
// rsync does: by a checksum that rolls over the new file, and a strong one where that matches.
#pragma once

#include <cstdint>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

// The algorithm is that of Tridgell and Mackerras, "The rsync algorithm", 1996. Blocks of `old`
// begin at multiples of block_bytes_of(its size); a last, shorter block isn't looked for. Reads
// both files once. Memory: 24 bytes for each block, and three blocks.
Result<uint64_t> matched_block_bytes(const ByteSource& old, const ByteSource& now);

}  // namespace seekless
