#include "runtime/block_feed.h"

#include <algorithm>

namespace seekless::runtime {
namespace {

// How far ahead the system is asked to read while the caller uses what it has: two blocks keep a
// disk busy, and are within any system's limit for one hint.
constexpr size_t kBlocksAhead = 2;

class DirectFeed final : public BlockFeed {
 public:
  DirectFeed(const SweepPlan& plan, BlockPool& pool) : plan_(plan), pool_(pool) {}

  Result<skl_result> next(size_t position, HeldBlock& block) override {
    return read(position, block, true);
  }
  Result<skl_result> now(size_t position, HeldBlock& block) override {
    return read(position, block, false);
  }
  void skip(size_t) override {}

 private:
  Result<skl_result> read(size_t position, HeldBlock& block, bool announces) {
    const BlockPlace& place = plan_.blocks[position];
    const size_t block_bytes = place.pack->header().block_bytes;
    const bool is_compressed = place.pack->has_compressed_blocks();
    // Nothing is held while waiting, or two sweeps could wait for each other.
    HeldBlock fresh;
    fresh.buffer.reset(pool_.acquire(block_bytes));
    const std::unique_ptr<BlockBuffer, ReleaseBlock> scratch(
        is_compressed && fresh.buffer ? pool_.acquire(block_bytes) : nullptr);
    if (fresh.buffer == nullptr || (is_compressed && scratch == nullptr)) return SKL_WOULD_BLOCK;
    if (announces) announce(position);
    const auto raw =
        place.pack->read_block(place.block, fresh.buffer->bytes(),
                               scratch != nullptr ? scratch->bytes() : std::span<std::byte>{});
    if (!raw) return std::unexpected(raw.error());
    fresh.raw = *raw;
    block = std::move(fresh);
    return SKL_OK;
  }

  // Each block once and in order, the one that is read now included: a hint for a later one alone
  // would send the head there first.
  void announce(size_t position) {
    const size_t end = std::min(plan_.blocks.size(), position + 1 + kBlocksAhead);
    for (announced_ = std::max(announced_, position); announced_ < end; ++announced_) {
      const BlockPlace& ahead = plan_.blocks[announced_];
      ahead.pack->file().will_need(ahead.record().offset_bytes,
                                   stored_extent_bytes(ahead.record()));
    }
  }

  const SweepPlan& plan_;
  BlockPool& pool_;
  size_t announced_ = 0;
};

}  // namespace

std::unique_ptr<BlockFeed> make_direct_feed(const SweepPlan& plan, BlockPool& pool) {
  return std::make_unique<DirectFeed>(plan, pool);
}

}  // namespace seekless::runtime
