// Works on 64 pages at a time; a piece that isn't there holds no pages.
#include "packer/drive/page_set.h"

#include <algorithm>
#include <bit>

namespace seekless {

uint64_t PageSet::word_of(uint64_t page) const {
  const uint64_t piece = page / kPagesPerPiece;
  const uint64_t word = page % kPagesPerPiece / 64;
  if (piece >= pieces_.size() || word >= pieces_[piece].size()) return 0;
  return pieces_[piece][word];
}

bool PageSet::contains(uint64_t page) const {
  return (word_of(page) >> (page % 64) & 1) != 0;
}

void PageSet::insert(uint64_t first, uint64_t end) {
  if (first >= end) return;
  const uint64_t last_piece = (end - 1) / kPagesPerPiece;
  if (last_piece >= pieces_.size()) pieces_.resize(last_piece + 1);
  while (first < end) {
    Piece& piece = pieces_[first / kPagesPerPiece];
    const uint64_t word = first % kPagesPerPiece / 64;
    if (word >= piece.size()) piece.resize(word + 1);
    const uint64_t bit = first % 64;
    const uint64_t count = std::min(64 - bit, end - first);
    const uint64_t ones = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    piece[word] |= ones << bit;
    first += count;
  }
}

void PageSet::erase(uint64_t page) {
  if (contains(page))
    pieces_[page / kPagesPerPiece][page % kPagesPerPiece / 64] &= ~(uint64_t{1} << (page % 64));
}

uint64_t PageSet::next(uint64_t first, uint64_t end, bool present) const {
  while (first < end) {
    if (first / kPagesPerPiece >= pieces_.size()) return present ? end : first;
    const uint64_t word = present ? word_of(first) : ~word_of(first);
    const uint64_t rest = word >> (first % 64);
    if (rest != 0) return std::min(end, first + static_cast<uint64_t>(std::countr_zero(rest)));
    first += 64 - first % 64;
  }
  return end;
}

uint64_t PageSet::count_before(uint64_t page, uint64_t most) const {
  uint64_t count = 0;
  while (count < most && count < page && contains(page - 1 - count)) ++count;
  return count;
}

}  // namespace seekless
