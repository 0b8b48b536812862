#include "packer/update/internal/block_match.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "packer/update/clients.h"

namespace seekless {
namespace {

using Digest = format::ContentHash;

// Counts the bytes of whole blocks of the old pack that the new one has anywhere. It looks for runs
// of pieces that keep their distances, including the zeros between them.
class BlockMatch {
 public:
  BlockMatch(const PackBytes& old, const PackBytes& now, const Heirs& heirs)
      : old_(old), now_(now), heirs_(heirs), block_bytes_(block_bytes_of(old.end_bytes)) {
    for (uint32_t i = 0; i < old.pieces.size(); ++i) places_.emplace_back(old.pieces[i].hash, i);
    std::ranges::sort(places_);
  }

  uint64_t bytes() {
    for (size_t i = 0; i < now_.pieces.size(); ++i) {
      const Piece& piece = now_.pieces[i];
      const uint64_t gap =
          piece.begin - (i == 0 ? now_.data_offset_bytes : now_.pieces[i - 1].end());
      const KeptBytes* kept = heirs_.of(piece.hash);
      if (const Piece* same = find(piece.hash)) {
        add(*same, 0, piece.begin, piece.size_bytes, gap);
      } else if (const Piece* before = kept == nullptr ? nullptr : find(kept->old_hash)) {
        add(*before, 0, piece.begin, kept->front_bytes, gap);
        end_run(0);
        add(*before, before->size_bytes - kept->back_bytes, piece.end() - kept->back_bytes,
            kept->back_bytes, 0);
      } else {
        end_run(gap);
      }
    }
    end_run(0);
    return matched_;
  }

 private:
  const Piece* find(const Digest& content) const {
    const auto at = std::ranges::lower_bound(places_, content, {}, &Place::first);
    return at == places_.end() || at->first != content ? nullptr : &old_.pieces[at->second];
  }

  // Returns the number of zeros after the end of a piece of the old pack.
  uint64_t gap_after(uint64_t end) const {
    const auto next = std::ranges::lower_bound(old_.pieces, end, {}, &Piece::begin);
    return next == old_.pieces.end() ? old_.end_bytes - end : next->begin - end;
  }

  // Returns the number of zeros in front of a piece of the old pack.
  uint64_t gap_before(const Piece& piece) const {
    const auto index = static_cast<size_t>(&piece - old_.pieces.data());
    return piece.begin - (index == 0 ? old_.data_offset_bytes : old_.pieces[index - 1].end());
  }

  // Notes that the new pack has `length` bytes of the old piece at `begin`, after `gap` zeros.
  void add(const Piece& old, uint64_t offset, uint64_t begin, uint64_t length, uint64_t gap) {
    if (length == 0) return;
    const uint64_t old_begin = old.begin + offset;
    const uint64_t zeros = offset == 0 ? std::min(gap, gap_before(old)) : 0;
    const bool goes_on = run_end_ > 0 && old_begin >= run_end_ && old_begin - run_end_ == gap &&
                         begin - old_begin == shift_ && (offset > 0 || gap == zeros);
    if (!goes_on) {
      end_run(gap);
      shift_ = begin - old_begin;
      run_begin_ = old_begin - (gap < 2 * block_bytes_ ? zeros : 0);
    }
    run_end_ = old_begin + length;
  }

  // Ends a run before `gap` zeros of the new pack. A long gap contains blocks that are all zeros.
  void end_run(uint64_t gap) {
    const bool has_zero_blocks = gap >= 2 * block_bytes_;
    if (has_zero_blocks) matched_ += gap / block_bytes_ * block_bytes_;
    if (run_end_ == 0) return;
    const uint64_t zeros = has_zero_blocks ? 0 : std::min(gap, gap_after(run_end_));
    const uint64_t first = (run_begin_ + block_bytes_ - 1) / block_bytes_;
    const uint64_t last = (run_end_ + zeros) / block_bytes_;
    if (last > first) matched_ += (last - first) * block_bytes_;
    run_begin_ = run_end_ = 0;
  }

  using Place = std::pair<Digest, uint32_t>;

  const PackBytes& old_;
  const PackBytes& now_;
  const Heirs& heirs_;
  const uint64_t block_bytes_;
  std::vector<Place> places_;  // sorted
  uint64_t run_begin_ = 0;     // place in the old pack
  uint64_t run_end_ = 0;
  uint64_t shift_ = 0;  // distance of the new pack's bytes from the old pack's; wraps around
  uint64_t matched_ = 0;
};

}  // namespace

uint64_t matched_block_bytes(const PackBytes& old, const PackBytes& now, const Heirs& heirs) {
  return BlockMatch(old, now, heirs).bytes();
}

}  // namespace seekless
