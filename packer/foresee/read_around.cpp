#include "packer/foresee/read_around.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "packer/foresee/internal/short_seek.h"
#include "packer/foresee/learned.h"

namespace seekless {
namespace {

// Linux reads this far ahead in a file by itself, once it is read sequentially.
constexpr uint64_t kReadOnBytes = uint64_t{128} << 10;
// The first windows may cost one seek, 8 ms of a load. So a game that reads for a fraction of a
// second loses little if windows don't pay.
constexpr double kFirstSeeks = 1;
// The first windows are a quarter as wide, until this many seeks are saved. In mapped files they
// bring what Linux would read around a place; in a served folder Linux reads less.
constexpr uint64_t kNarrow = 4;
constexpr double kProofSeeks = 2;
// Windows that paid may later cost this many more seeks than they save. After that, windows are
// only counted, not fetched, until they would have saved enough.
constexpr double kMostSeeks = 6;

// The cost of reading a block that nobody wanted.
constexpr double kBlockSeeks =
    static_cast<double>(kReadOnBytes) / static_cast<double>(kShortSeekBytes);

constexpr unsigned kBlockBits = 40;

std::vector<uint64_t> blocks_of(const WantedRange& piece) {
  std::vector<uint64_t> blocks;
  const uint64_t end = piece.offset_bytes + piece.length_bytes;
  for (uint64_t block = piece.offset_bytes / kReadOnBytes; block * kReadOnBytes < end; ++block)
    blocks.push_back(uint64_t{piece.file} << kBlockBits | block);
  return blocks;
}

// Returns whole pages, up to the file's end.
WantedRange around(const WantedRange& read, uint64_t width_bytes, uint64_t file_bytes) {
  const uint64_t page = read.offset_bytes / kSeenPageBytes * kSeenPageBytes;
  const uint64_t half = width_bytes / 2 / kSeenPageBytes * kSeenPageBytes;
  const uint64_t begin = page - std::min(page, half);
  const uint64_t end =
      std::max(read.offset_bytes + read.length_bytes, std::min(file_bytes, page + half));
  return {read.file, begin, end - begin};
}

}  // namespace

ReadAround::ReadAround(uint64_t window_bytes)
    : window_bytes_(window_bytes), pays_(true), saved_seeks_(kFirstSeeks) {}

bool ReadAround::jumps(const WantedRange& read) {
  if (window_bytes_ == 0) return false;
  const auto [last, is_first] = ends_.try_emplace(read.file, 0);
  const uint64_t end = std::exchange(last->second, read.offset_bytes + read.length_bytes);
  const bool reads_on =
      !is_first && read.offset_bytes >= end && read.offset_bytes - end <= kReadOnBytes;
  bool was_brought = false;
  for (const uint64_t block : blocks_of(read)) {
    read_.insert(block);
    if (unread_.erase(block) == 0) continue;
    was_brought = true;
    saved_seeks_ += kBlockSeeks;
  }
  // Without the window, this read would have cost a seek.
  if (was_brought && !reads_on) ++saved_seeks_;
  saved_seeks_ = std::min(saved_seeks_, kMostSeeks);
  if (!pays_ && saved_seeks_ >= kProofSeeks) {
    pays_ = true;
    unread_.clear();  // these were never fetched
  }
  return !reads_on && !was_brought;
}

std::vector<uint64_t> ReadAround::new_blocks(const WantedRange& window) const {
  std::vector<uint64_t> blocks = blocks_of(window);
  std::erase_if(blocks,
                [&](uint64_t block) { return read_.contains(block) || unread_.contains(block); });
  return blocks;
}

std::optional<WantedRange> ReadAround::window_around(const WantedRange& read, uint64_t file_bytes) {
  for (const uint64_t width_bytes : {window_bytes_, window_bytes_ / kNarrow}) {
    const WantedRange window = around(read, width_bytes, file_bytes);
    const std::vector<uint64_t> blocks = new_blocks(window);
    if (blocks.empty()) return std::nullopt;  // all blocks were fetched before
    const double cost = static_cast<double>(blocks.size()) * kBlockSeeks;
    const bool is_narrow = width_bytes < window_bytes_;
    if (pays_ && saved_seeks_ < (is_narrow ? cost : std::max(cost, kProofSeeks))) continue;
    saved_seeks_ = std::max(saved_seeks_ - cost, -kMostSeeks);
    unread_.insert(blocks.begin(), blocks.end());
    if (!pays_) return std::nullopt;
    fetched_bytes_ += window.length_bytes;
    return window;
  }
  pays_ = false;
  saved_seeks_ = -kProofSeeks;
  return std::nullopt;
}

}  // namespace seekless
