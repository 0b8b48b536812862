#include "runtime/block_feed.h"

#include <algorithm>
#include <array>

namespace seekless::runtime {
namespace {

// Hints ask the system to read this many blocks ahead of the current one. Two blocks keep a disk
// busy and are within any system's limit for one hint.
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
  Result<skl_result> open_next(bool is_needed) override {
    const uint32_t number = *plan_.next_pack();
    if (!is_needed && !plan_.set->is_open(number)) return SKL_WOULD_BLOCK;
    const auto pack = plan_.set->pack(number);
    if (!pack) return std::unexpected(pack.error());
    return SKL_OK;
  }

 private:
  Result<skl_result> read(size_t position, HeldBlock& block, bool announces) {
    const BlockPlace& place = plan_.blocks[position];
    const size_t block_bytes = place.pack->header().block_bytes;
    // No buffer may be held while waiting, or two sweeps could deadlock.
    std::array<Buffer, 2> buffers;
    if (!pool_.acquire(block_bytes, std::span(buffers).first(buffers_for(*place.pack))))
      return SKL_WOULD_BLOCK;
    if (announces) announce(position);
    const Buffer& scratch = buffers[1];
    const auto raw =
        place.pack->read_block(place.block, buffers[0]->bytes(),
                               scratch != nullptr ? scratch->bytes() : std::span<std::byte>{});
    if (!raw) return std::unexpected(raw.error());
    block = {std::move(buffers[0]), *raw};
    return SKL_OK;
  }

  // Gives one hint per block, in order, even for the current block: a hint for only a later block
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

Owned<BlockFeed> make_direct_feed(const SweepPlan& plan, BlockPool& pool) {
  return make_owned<DirectFeed>(Memory(), plan, pool);
}

}  // namespace seekless::runtime
