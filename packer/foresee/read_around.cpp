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
// Windows may cost this many more seeks than they have saved: 50 ms of a load.
constexpr double kMostSeeks = 6;
// A game whose reads have changed is tried again, at the cost of one seek in 64. Windows a quarter
// as wide cost less, so they are tried more often.
constexpr double kTrySeeks = 1.0 / 64;
constexpr uint64_t kNarrow = 4;

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
    : window_bytes_(window_bytes), seeks_left_(kMostSeeks) {}

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
    seeks_left_ += kBlockSeeks;
  }
  // Without the window, this read would have cost a seek.
  if (was_brought && !reads_on) ++seeks_left_;
  seeks_left_ = std::min(seeks_left_, kMostSeeks);
  return !reads_on && !was_brought;
}

std::optional<WantedRange> ReadAround::window_around(const WantedRange& read, uint64_t file_bytes) {
  for (const uint64_t width_bytes : {window_bytes_, window_bytes_ / kNarrow}) {
    const WantedRange window = around(read, width_bytes, file_bytes);
    std::vector<uint64_t> blocks = blocks_of(window);
    std::erase_if(blocks,
                  [&](uint64_t block) { return read_.contains(block) || unread_.contains(block); });
    if (blocks.empty()) return std::nullopt;  // all blocks were fetched before
    const double cost = static_cast<double>(blocks.size()) * kBlockSeeks;
    if (seeks_left_ < cost) continue;
    seeks_left_ -= cost;
    unread_.insert(blocks.begin(), blocks.end());
    fetched_bytes_ += window.length_bytes;
    return window;
  }
  seeks_left_ += kTrySeeks;
  return std::nullopt;
}

}  // namespace seekless
