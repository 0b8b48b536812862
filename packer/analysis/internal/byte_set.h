// Stores which bytes of one file were read, as disjoint ranges that are joined if they touch. Takes
// memory for each piece, not for each read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace seekless {

class ByteSet {
 public:
  ByteSet() = default;
  ByteSet(const ByteSet&) = delete;
  ByteSet& operator=(const ByteSet&) = delete;

  // Returns how many of the bytes weren't in the set before. offset + length must be at most 2^64 -
  // 1. Takes O(log pieces), and O(1) on average if the range follows the last one added.
  uint64_t add(uint64_t offset_bytes, uint64_t length_bytes);
  uint64_t size_bytes() const { return size_bytes_; }
  size_t pieces() const { return end_of_.size(); }

 private:
  using Pieces = std::map<uint64_t, uint64_t>;

  Pieces end_of_;                          // indexed by where the piece begins
  Pieces::iterator last_ = end_of_.end();  // the piece that holds the last range
  uint64_t size_bytes_ = 0;
};

}  // namespace seekless
