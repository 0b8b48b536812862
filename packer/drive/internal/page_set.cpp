// Works on 64 pages at a time. A missing piece holds no pages.
#include "packer/drive/internal/page_set.h"

#include <algorithm>
#include <bit>

namespace seekless {
namespace {

// Returns `count` one bits; `count` must be 1 to 64.
uint64_t ones(uint64_t count) {
  return ~uint64_t{0} >> (64 - count);
}

}  // namespace

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
    piece[word] |= ones(count) << bit;
    first += count;
  }
}

void PageSet::erase(uint64_t page) {
  if (contains(page))
    pieces_[page / kPagesPerPiece][page % kPagesPerPiece / 64] &= ~(uint64_t{1} << (page % 64));
}

void PageSet::erase(uint64_t first, uint64_t end) {
  while (first < end) {
    if (first / kPagesPerPiece >= pieces_.size()) return;
    Piece& piece = pieces_[first / kPagesPerPiece];
    const uint64_t word = first % kPagesPerPiece / 64;
    const uint64_t bit = first % 64;
    const uint64_t count = std::min(64 - bit, end - first);
    if (word < piece.size()) piece[word] &= ~(ones(count) << bit);
    first += count;
  }
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
  while (count < most && count < page) {
    const uint64_t last = page - 1 - count;
    const uint64_t in_word = last % 64 + 1;
    const auto set = static_cast<uint64_t>(std::countl_one(word_of(last) << (64 - in_word)));
    count += std::min(set, in_word);
    if (set < in_word) break;
  }
  return std::min(count, most);
}

}  // namespace seekless
