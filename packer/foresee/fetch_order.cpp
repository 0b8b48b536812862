#include "packer/foresee/fetch_order.h"

#include "packer/foresee/internal/short_seek.h"

namespace seekless {
namespace {

// A disk reads this much in the time of a long seek there and back.
constexpr uint64_t kFewBytes = uint64_t{4} << 20;

// Returns how much the disk reads in the time until it begins with `next`.
uint64_t bytes_to_next(const FetchChunk& chunk, const FetchChunk& next) {
  const bool touch =
      next.file == chunk.file && next.offset_bytes == chunk.offset_bytes + chunk.length_bytes;
  return chunk.length_bytes + (touch ? 0 : kShortSeekBytes);
}

}  // namespace

std::optional<uint32_t> FetchOrder::next() const {
  if (!hurried_.empty()) return hurried_.front();
  if (!along_.empty()) return along_.front();
  if (in_order_ == chunks_.size()) return std::nullopt;
  return in_order_;
}

std::vector<uint32_t> FetchOrder::next_few(size_t most) const {
  FetchOrder then = *this;
  std::vector<uint32_t> few;
  uint64_t bytes = 0;
  for (auto at = next(); at && few.size() < most && bytes < kFewBytes; at = then.next()) {
    few.push_back(*at);
    bytes += chunks_[*at].length_bytes;
    then.done(*at);
  }
  return few;
}

void FetchOrder::hurry(uint32_t chunk) {
  if (!is_done_[chunk] && !comes_soon(chunk)) hurried_.push_back(chunk);
}

bool FetchOrder::comes_soon(uint32_t chunk) const {
  if (!hurried_.empty()) return false;
  FetchOrder then = *this;
  uint64_t bytes = 0;
  for (auto at = then.next(); at && *at != chunk && bytes <= kFewBytes;) {
    then.done(*at);
    const auto next = then.next();
    if (next) bytes += bytes_to_next(chunks_[*at], chunks_[*next]);
    at = next;
  }
  return bytes <= kFewBytes;
}

bool FetchOrder::goes_on(uint32_t chunk) const {
  return last_hurried_ && chunk == *last_hurried_ + 1;
}

void FetchOrder::done(uint32_t chunk) {
  const bool was_hurried = std::erase(hurried_, chunk) > 0;
  std::erase(along_, chunk);
  is_done_[chunk] = true;
  while (in_order_ < chunks_.size() && is_done_[in_order_]) ++in_order_;
  if (!was_hurried) return;
  last_hurried_ = chunk;
  take_along(chunk);
}

void FetchOrder::take_along(uint32_t chunk) {
  const uint32_t file = chunks_[chunk].file;
  uint32_t first = chunk;
  while (first > 0 && chunks_[first - 1].file == file) --first;
  std::vector<uint32_t> others;
  uint64_t bytes = 0;
  for (uint32_t at = first; at < chunks_.size() && chunks_[at].file == file; ++at) {
    if (is_done_[at]) continue;
    others.push_back(at);
    bytes += chunks_[at].length_bytes;
    if (bytes > kFewBytes) return;
  }
  along_.assign(others.begin(), others.end());
}

}  // namespace seekless
