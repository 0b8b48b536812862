// How scattered files lie, in figures: pure arithmetic on extents.
#pragma once

#include <cstdint>
#include <span>

#include "packer/host/extents.h"

namespace seekless {

// Of a set of files that is read in the given order, each from front to back.
struct Fragmentation {
  uint64_t bytes = 0;       // that lie somewhere
  uint64_t fragments = 0;   // pieces between which the head moves; 1 is the least
  uint64_t path_bytes = 0;  // all that passes under the head: what is read and what is jumped over
  uint64_t devices = 0;

  // The head's path against that of one contiguous piece: 1 is the least, and what isn't
  // fragmented has. 1 if there is nothing to read.
  double relative() const {
    return bytes == 0 ? 1 : static_cast<double>(path_bytes) / static_cast<double>(bytes);
  }
};

// Jumps from one file's end to the next one's begin count, though not as fragments where they only
// pass over the rest of a block; between devices there are none.
Fragmentation measure_fragmentation(std::span<const FileExtents> files);

}  // namespace seekless
