#include "runtime/sweep.h"

#include <algorithm>
#include <memory>

namespace seekless::runtime {
namespace {

// How far ahead the system is asked to read while the caller uses what it has: two blocks keep a
// disk busy, and are within any system's limit for one hint.
constexpr size_t kBlocksAhead = 2;

bool is_same_place(const PlacedAsset& a, const PlacedAsset& b) {
  const format::Asset& of_a = a.record();
  const format::Asset& of_b = b.record();
  return a.pack == b.pack && of_a.size_bytes > 0 && of_a.block == of_b.block &&
         offset_in_block(of_a) == offset_in_block(of_b) && of_a.size_bytes == of_b.size_bytes;
}

struct Release {
  void operator()(BlockBuffer* buffer) const { buffer->release(); }
};

uint64_t stored_extent_bytes(const format::Block& block) {
  return format::round_up(block.stored_bytes, format::kPageBytes);
}

}  // namespace

Result<std::unique_ptr<Sweep>> Sweep::open(const PackSet& set, const format::Scenario* scenario,
                                           BlockPool& pool) {
  std::unique_ptr<Sweep> sweep(new Sweep(pool));
  sweep->set_ = &set;
  if (scenario != nullptr) {
    if (auto planned = sweep->plan(set, *scenario); !planned)
      return std::unexpected(planned.error());
  } else {
    const auto pack = set.pack(0);
    if (!pack) return std::unexpected(pack.error());
    sweep->plan(**pack);
  }
  for (const BlockPlace& place : sweep->blocks_) {
    const uint32_t block_bytes = place.pack->header().block_bytes;
    const uint32_t buffers = place.pack->has_compressed_blocks() ? 2 : 1;
    if (pool.budget_bytes() / buffers < block_bytes)
      return std::unexpected(
          Error{SKL_INVALID, place.pack->file().name() + ": expected a memory budget of at least " +
                                 std::to_string(uint64_t{block_bytes} * buffers) +
                                 " bytes, found " + std::to_string(pool.budget_bytes())});
    sweep->total_bytes_ += stored_extent_bytes(place.pack->blocks()[place.block]);
  }
  sweep->find_group();
  return sweep;
}

Sweep::~Sweep() {
  drop_block();
}

Result<void> Sweep::plan(const PackSet& set, const format::Scenario& scenario) {
  for (const format::Range& range : set.catalog()->ranges(scenario)) {
    const auto pack = set.pack(range.pack);
    if (!pack) return std::unexpected(pack.error());
    const uint64_t count = (*pack)->blocks().size();
    if (range.first_block > count || range.block_count > count - range.first_block)
      return damaged("the catalog of " + (*pack)->file().name() + ": expected ranges within " +
                     std::to_string(count) + " blocks, found block " +
                     std::to_string(range.first_block) + "; pack it again");
    for (uint32_t i = 0; i < range.block_count; ++i)
      blocks_.push_back({*pack, range.first_block + i});
  }
  for (const format::Place& place : set.catalog()->needs(scenario)) {
    const auto pack = set.pack(place.pack);
    if (!pack) return std::unexpected(pack.error());
    needs_.push_back({*pack, place.asset});
  }
  return check_plan();
}

void Sweep::plan(const Pack& pack) {
  for (uint32_t i = 0; i < pack.blocks().size(); ++i) blocks_.push_back({&pack, i});
  for (uint32_t i = 0; i < pack.assets().size(); ++i) needs_.push_back({&pack, i});
}

// Everything needed must arrive with the blocks, in their order.
Result<void> Sweep::check_plan() const {
  size_t at = 0;  // in blocks_, where the latest need ends
  const PlacedAsset* previous = nullptr;
  for (const PlacedAsset& need : needs_) {
    const uint32_t count = need.pack->block_count(need.record());
    const bool comes_with_previous = previous != nullptr && is_same_place(*previous, need);
    previous = &need;
    if (count == 0 || comes_with_previous) continue;
    const auto is_at = [&](size_t place, uint32_t block) {
      return blocks_[place].pack == need.pack && blocks_[place].block == block;
    };
    const uint32_t first = need.record().block;
    while (at < blocks_.size() && !is_at(at, first)) ++at;
    uint32_t arrived = 0;
    for (; at < blocks_.size() && is_at(at, first + arrived); ++at)
      if (++arrived == count) break;
    if (arrived < count)
      return damaged("the catalog of " + need.pack->file().name() +
                     ": expected a sweep that reads all that its scenario needs, found one that "
                     "doesn't; pack it again");
  }
  return {};
}

void Sweep::find_group() {
  group_begin_ = next_need_ = group_end_;
  piece_offset_bytes_ = 0;
  if (group_begin_ == needs_.size()) return;
  ++group_end_;
  while (group_end_ < needs_.size() && is_same_place(needs_[group_begin_], needs_[group_end_]))
    ++group_end_;
}

bool Sweep::need_is_in(const BlockPlace& place) const {
  if (group_begin_ == needs_.size() || needs_[group_begin_].pack != place.pack) return false;
  const format::Asset& asset = needs_[group_begin_].record();
  return place.block >= asset.block &&
         place.block - asset.block == piece_offset_bytes_ / place.pack->header().block_bytes;
}

Result<skl_result> Sweep::load(const BlockPlace& place) {
  const size_t block_bytes = place.pack->header().block_bytes;
  // Nothing is held while waiting, or two sweeps could wait for each other.
  buffer_ = pool_.acquire(block_bytes);
  if (buffer_ == nullptr) return SKL_WOULD_BLOCK;
  const std::unique_ptr<BlockBuffer, Release> scratch(
      place.pack->has_compressed_blocks() ? pool_.acquire(block_bytes) : nullptr);
  if (place.pack->has_compressed_blocks() && scratch == nullptr) {
    drop_block();
    return SKL_WOULD_BLOCK;
  }
  const uint64_t bytes = stored_extent_bytes(place.pack->blocks()[place.block]);
  const bool jumps = next_block_ == 0 || blocks_[next_block_ - 1].pack != place.pack ||
                     blocks_[next_block_ - 1].block + 1 != place.block;
  announce_blocks();
  const auto raw =
      place.pack->read_block(place.block, buffer_->bytes(),
                             scratch != nullptr ? scratch->bytes() : std::span<std::byte>{});
  reads_.fetch_add(1, std::memory_order_relaxed);
  read_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  jumps_.fetch_add(jumps ? 1 : 0, std::memory_order_relaxed);
  if (!raw) return std::unexpected(raw.error());
  raw_ = *raw;
  return SKL_OK;
}

// Each block once and in order, the one that is read now included: a hint for a later one alone
// would send the head there first.
void Sweep::announce_blocks() {
  const size_t end = std::min(blocks_.size(), next_block_ + 1 + kBlocksAhead);
  for (announced_blocks_ = std::max(announced_blocks_, next_block_); announced_blocks_ < end;
       ++announced_blocks_) {
    const BlockPlace& ahead = blocks_[announced_blocks_];
    const format::Block& block = ahead.pack->blocks()[ahead.block];
    ahead.pack->file().will_need(block.offset_bytes, stored_extent_bytes(block));
  }
}

void Sweep::hand_out(const BlockPlace& place, SweptPiece& piece) {
  const PlacedAsset& need = needs_[next_need_];
  const format::Asset& asset = need.record();
  const uint64_t start = place.block == asset.block ? offset_in_block(asset) : 0;
  const uint64_t size =
      std::min(asset.size_bytes - piece_offset_bytes_, uint64_t{raw_.size()} - start);
  buffer_->retain();
  piece = {set_->number_of(need), asset.size_bytes, piece_offset_bytes_, raw_.subspan(start, size),
           buffer_};
  if (++next_need_ < group_end_) return;
  next_need_ = group_begin_;
  piece_offset_bytes_ += size;
  if (piece_offset_bytes_ == asset.size_bytes) find_group();
}

void Sweep::drop_block() {
  if (buffer_ != nullptr) buffer_->release();
  buffer_ = nullptr;
  raw_ = {};
}

Result<skl_result> Sweep::next(SweptPiece& piece) {
  for (;;) {
    // An empty asset has no bytes to wait for.
    if (group_begin_ < needs_.size() && needs_[group_begin_].record().size_bytes == 0) {
      piece = {set_->number_of(needs_[group_begin_]), 0, 0, {}, nullptr};
      find_group();
      return SKL_OK;
    }
    if (lost_ != nullptr && need_is_in(*lost_)) {
      find_group();
      continue;
    }
    if (next_block_ == blocks_.size()) return SKL_END;
    const BlockPlace& place = blocks_[next_block_];
    if (raw_.empty()) {
      const auto loaded = load(place);
      if (!loaded) {
        lost_ = &place;
        drop_block();
        ++next_block_;
        return std::unexpected(loaded.error());
      }
      if (*loaded != SKL_OK) return *loaded;
    }
    if (need_is_in(place)) {
      hand_out(place, piece);
      return SKL_OK;
    }
    drop_block();
    ++next_block_;
  }
}

skl_progress Sweep::progress() const {
  return {read_bytes_.load(std::memory_order_relaxed), total_bytes_,
          reads_.load(std::memory_order_relaxed), jumps_.load(std::memory_order_relaxed)};
}

}  // namespace seekless::runtime
