// Stores which pages of one file are in memory, as a bitmap in pieces. It uses memory only near
// pages that were read, however large the file is. A small file takes one word, because there can
// be a million.
#pragma once

#include <cstdint>
#include <vector>

namespace seekless {

class PageSet {
 public:
  bool contains(uint64_t page) const;
  void insert(uint64_t first, uint64_t end);  // inserts the pages first to end - 1
  void erase(uint64_t page);
  void erase(uint64_t first, uint64_t end);
  // These return the first page in [first, end) that isn't, or is, in the set; `end` if there is
  // none.
  uint64_t next_absent(uint64_t first, uint64_t end) const { return next(first, end, false); }
  uint64_t next_present(uint64_t first, uint64_t end) const { return next(first, end, true); }
  // Counts the pages just before `page` that are in the set without a gap, up to `most`.
  uint64_t count_before(uint64_t page, uint64_t most) const;

 private:
  static constexpr uint64_t kPagesPerPiece = 32768;  // at most 4 KiB of bits for 128 MiB of file
  using Piece = std::vector<uint64_t>;  // words of 64 pages; missing words at the end hold none

  uint64_t next(uint64_t first, uint64_t end, bool present) const;
  // Returns the 64 pages around `page` as bits.
  uint64_t word_of(uint64_t page) const;

  std::vector<Piece> pieces_;
};

}  // namespace seekless
