// Remembers which ranges of files were read through the cache, to recognise the paging reads that
// those reads caused. Memory is bounded: the oldest ranges are forgotten first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace seekless {

class CachedRanges {
 public:
  // Between this many and twice as many ranges are kept (some 3 MB). In a log, a paging read is
  // near the read that caused it. Four times as many ranges would make reading a log of random
  // reads a quarter slower.
  static constexpr size_t kKept = size_t{1} << 14;

  explicit CachedRanges(size_t kept = kKept) : kept_(kept) {}

  // `end` is one past the last byte.
  void add(uint32_t file, uint64_t begin, uint64_t end);
  // Returns true if any byte in [begin, end) was read.
  bool touches(uint32_t file, uint64_t begin, uint64_t end) const;

 private:
  using Ranges = std::map<uint64_t, uint64_t>;  // begin -> end; the ranges are disjoint
  struct Generation {
    std::unordered_map<uint32_t, Ranges> files;
    size_t count = 0;
  };
  static bool touches(const Generation& generation, uint32_t file, uint64_t begin, uint64_t end);

  size_t kept_;
  Generation young_;
  Generation old_;  // gets no more ranges; dropped once `young_` is full
};

}  // namespace seekless
