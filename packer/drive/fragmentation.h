// Measures how scattered files lie on their disk: pure arithmetic on extents.
#pragma once

#include <cstdint>
#include <span>

#include "packer/host/extents.h"

namespace seekless {

// Describes a set of files that are read in the given order, each from front to back.
struct Fragmentation {
  uint64_t bytes = 0;       // bytes that have a place on a device
  uint64_t fragments = 0;   // number of pieces between which the head moves; at least 1
  uint64_t path_bytes = 0;  // all bytes that pass under the head: read or jumped over
  uint64_t devices = 0;

  // Returns the length of the head's path relative to one contiguous piece: 1 is the minimum,
  // without fragmentation. Also 1 if there is nothing to read.
  double relative() const {
    return bytes == 0 ? 1 : static_cast<double>(path_bytes) / static_cast<double>(bytes);
  }
};

// A jump from one file's end to the next one's beginning counts in `path_bytes`. It isn't a
// fragment if it only skips the rest of a block. Jumps between devices don't count.
Fragmentation measure_fragmentation(std::span<const FileExtents> files);

}  // namespace seekless
