#include "packer/page/internal/byte_ranges.h"

#include <algorithm>

namespace seekless {

std::vector<ByteRange> merged(std::vector<ByteRange> ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::first_bytes);
  std::vector<ByteRange> out;
  for (const ByteRange& range : ranges) {
    if (!out.empty() && range.first_bytes <= out.back().end_bytes)
      out.back().end_bytes = std::max(out.back().end_bytes, range.end_bytes);
    else
      out.push_back(range);
  }
  return out;
}

}  // namespace seekless
