#include "packer/analysis/internal/byte_set.h"

#include <algorithm>
#include <iterator>

namespace seekless {

uint64_t ByteSet::add(uint64_t offset_bytes, uint64_t length_bytes) {
  if (length_bytes == 0) return 0;
  const uint64_t end = offset_bytes + length_bytes;
  // Finds the piece that may touch the range: the last one that begins at or before it, if it
  // extends to the range.
  auto piece = last_;
  const bool goes_on =
      piece != end_of_.end() && piece->first <= offset_bytes &&
      (std::next(piece) == end_of_.end() || offset_bytes < std::next(piece)->first);
  if (!goes_on) {
    piece = end_of_.upper_bound(offset_bytes);
    if (piece != end_of_.begin()) --piece;
  }
  if (piece == end_of_.end() || piece->first > offset_bytes || piece->second < offset_bytes)
    piece = end_of_.emplace(offset_bytes, offset_bytes).first;
  last_ = piece;
  if (end <= piece->second) return 0;

  uint64_t added = end - piece->second;
  uint64_t reach = end;
  auto next = std::next(piece);
  for (; next != end_of_.end() && next->first <= end; next = end_of_.erase(next)) {
    added -= std::min(end, next->second) - next->first;
    reach = std::max(reach, next->second);
  }
  piece->second = reach;
  size_bytes_ += added;
  return added;
}

}  // namespace seekless
