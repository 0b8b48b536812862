// Stretches of a disk or a file that something touches.
#pragma once

#include <cstdint>
#include <vector>

namespace seekless {

struct ByteRange {
  uint64_t first_bytes;
  uint64_t end_bytes;

  bool operator==(const ByteRange&) const = default;
};

// Sorts by place, and joins those that touch or overlap.
std::vector<ByteRange> merged(std::vector<ByteRange> ranges);

}  // namespace seekless
