#include "runtime/decoded_blocks.h"

#include <algorithm>
#include <utility>

namespace seekless::runtime {
namespace {

// The rest of the budget serves blocks read ahead and leases.
constexpr uint64_t kShareOfBudget = 4;

}  // namespace

DecodedBlocks::DecodedBlocks(BlockPool& pool) : pool_(pool) {
  pool_.add_user(*this);
}

DecodedBlocks::~DecodedBlocks() {
  pool_.remove_user(*this);
}

Buffer DecodedBlocks::find(uint64_t pack, uint32_t block, uint64_t raw_bytes, bool& was_short) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.buffer == nullptr || entry.pack != pack || entry.block != block) continue;
    was_short = entry.raw_bytes < raw_bytes;
    if (was_short) break;
    entry.used_at = ++uses_;
    entry.buffer->retain();
    return Buffer(entry.buffer.get());
  }
  return nullptr;
}

void DecodedBlocks::keep(uint64_t pack, uint32_t block, uint64_t raw_bytes, Buffer decoded) {
  const uint64_t fit = pool_.budget_bytes() / kShareOfBudget / decoded->bytes().size();
  const size_t most = std::clamp<uint64_t>(fit, 1, kMost);
  const std::lock_guard lock(mutex_);
  // Prefers the entry of the same block, then an empty one, then the one used longest ago.
  const auto worth = [&](const Entry& entry) {
    const bool is_same = entry.buffer != nullptr && entry.pack == pack && entry.block == block;
    return std::pair(!is_same, entry.buffer != nullptr ? entry.used_at : 0);
  };
  Entry& entry = *std::ranges::min_element(entries_.begin(), entries_.begin() + most, {}, worth);
  // Swaps, so that the old entry's buffer is released after the lock.
  std::swap(entry.buffer, decoded);
  entry.pack = pack;
  entry.block = block;
  entry.raw_bytes = raw_bytes;
  entry.used_at = ++uses_;
}

void DecodedBlocks::give_up_ahead() {
  std::array<Buffer, kMost> given;
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < kMost; ++i) given[i] = std::move(entries_[i].buffer);
}

}  // namespace seekless::runtime
