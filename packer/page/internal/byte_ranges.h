// Describes and merges ranges of bytes on a disk or in a file.
#pragma once

#include <cstdint>
#include <vector>

namespace seekless {

struct ByteRange {
  uint64_t first_bytes;
  uint64_t end_bytes;

  bool operator==(const ByteRange&) const = default;
};

// Sorts the ranges by place, and joins those that touch or overlap.
std::vector<ByteRange> merged(std::vector<ByteRange> ranges);

}  // namespace seekless
