#include "runtime/media_judge.h"

#include <algorithm>

namespace seekless::runtime {
namespace {

// Transfer rate of a slow disk's outer tracks. A faster device's jumps look a little shorter than
// they are.
constexpr uint64_t kBytesPerUs = 150;
// Limits for the jumps of a window. By chance, a tenth of a disk's jumps are fast, and stalls make
// a tenth of an SSD's jumps slow.
constexpr uint32_t kFastForSolid = 29;
constexpr uint32_t kSlowForRotational = 12;
constexpr uint64_t kMostNeeded = 4096;

}  // namespace

bool MediaJudge::note(const TimedRead& read) {
  if (read.jump_bytes < kFarBytes) return false;
  if (is_rotational_ && read.length_bytes > kShortBytes) return false;
  const uint64_t through_us = read.length_bytes / kBytesPerUs;
  const uint64_t jump_us = read.took_us - std::min(read.took_us, through_us);
  window_us_[jumps_++ % kWindow] = static_cast<uint32_t>(std::min<uint64_t>(jump_us, UINT32_MAX));
  if (++since_change_ < kWindow) return false;
  if (is_rotational_) {
    agreeing_ = fast() >= kFastForSolid ? agreeing_ + 1 : 0;
    if (agreeing_ < needed_) return false;
  } else {
    if (slow() < kSlowForRotational) return false;
    needed_ = std::min(std::max<uint64_t>(2 * needed_, kWindow), kMostNeeded);
  }
  change();
  return true;
}

void MediaJudge::change() {
  is_rotational_ = !is_rotational_;
  ++changes_;
  agreeing_ = since_change_ = 0;
}

uint64_t MediaJudge::median_us() const {
  const size_t size = std::min<uint64_t>(jumps_, kWindow);
  if (size == 0) return 0;
  auto sorted = window_us_;
  std::nth_element(sorted.begin(), sorted.begin() + size / 2, sorted.begin() + size);
  return sorted[size / 2];
}

}  // namespace seekless::runtime
