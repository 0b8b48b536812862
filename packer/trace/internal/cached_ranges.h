// Which ranges of files were read through the cache, so that paging reads which they caused can be
// told from others. Bounded: what was read longest ago is forgotten first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace seekless {

class CachedRanges {
 public:
  // How many ranges are kept at least; twice as many, some 3 MB, are the most. Paging reads stand
  // next to the read that causes them; with four times as many, a log of reads at random places
  // takes a quarter longer.
  static constexpr size_t kKept = size_t{1} << 14;

  explicit CachedRanges(size_t kept = kKept) : kept_(kept) {}

  // `end` is one past the last byte.
  void add(uint32_t file, uint64_t begin, uint64_t end);
  // Whether any byte from `begin` to before `end` was read.
  bool touches(uint32_t file, uint64_t begin, uint64_t end) const;

 private:
  using Ranges = std::map<uint64_t, uint64_t>;  // begin -> end; disjoint
  struct Generation {
    std::unordered_map<uint32_t, Ranges> files;
    size_t count = 0;
  };
  static bool touches(const Generation& generation, uint32_t file, uint64_t begin, uint64_t end);

  size_t kept_;
  Generation young_;
  Generation old_;  // gets no more ranges, and is dropped when the young one is full
};

}  // namespace seekless
