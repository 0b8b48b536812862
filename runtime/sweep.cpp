#include "runtime/sweep.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "runtime/read_asset.h"

namespace seekless::runtime {
namespace {

constexpr size_t kNamesInAnError = 3;

// Whether asking for the block again would change nothing: it is there, or it is lost.
bool is_for_good(const Result<skl_result>& fed) {
  return fed ? *fed == SKL_OK : fed.error().result != SKL_OUT_OF_MEMORY;
}

}  // namespace

Sweep::Sweep(SweepPlan plan, const Memory& memory)
    : plan_(std::move(plan)),
      is_done_(plan_.groups.size(), false, memory),
      is_wanted_(plan_.groups.size(), false, memory),
      groups_in_(plan_.blocks.size(), 0, memory),
      is_skipped_(plan_.blocks.size(), false, memory),
      wantable_(memory),
      wanted_(memory),
      total_bytes_(plan_.total_bytes) {
  for (const SweepPlan::Group& group : plan_.groups)
    for (uint32_t i = 0; i < group.block_count; ++i) ++groups_in_[group.first_block + i];
}

Result<Owned<Sweep>> Sweep::open(const PackSet& set, const format::Scenario* scenario,
                                 BlockPool& pool) {
  return open(set, scenario, pool,
              [&pool](const SweepPlan& plan) { return make_direct_feed(plan, pool); });
}

Result<Owned<Sweep>> Sweep::open(const PackSet& set, const format::Scenario* scenario,
                                 const BlockPool& pool, const MakeFeed& make_feed,
                                 const Memory& memory) {
  auto plan = SweepPlan::make(set, scenario, memory);
  if (!plan) return std::unexpected(plan.error());
  for (const BlockPlace& place : plan->blocks) {
    const uint32_t block_bytes = place.pack->header().block_bytes;
    const uint32_t buffers = buffers_for(*place.pack);
    if (pool.budget_bytes() / buffers < block_bytes)
      return std::unexpected(
          Error{SKL_INVALID, place.pack->file().name() + ": expected a memory budget of at least " +
                                 std::to_string(uint64_t{block_bytes} * buffers) +
                                 " bytes, found " + std::to_string(pool.budget_bytes())});
  }
  auto sweep = make_owned<Sweep>(memory, std::move(*plan), memory);
  sweep->feed_ = make_feed(sweep->plan_);
  return sweep;
}

// Of the block that the cursor's next part lies in.
size_t Sweep::position(const Cursor& cursor) const {
  return group(cursor).first_block + cursor.offset_bytes / head(cursor).pack->header().block_bytes;
}

bool Sweep::is_over(const Cursor& cursor) const {
  return cursor.next_need == 0 && cursor.offset_bytes == head(cursor).record().size_bytes;
}

void Sweep::finish(size_t number) {
  is_done_[number] = true;
  const SweepPlan::Group& group = plan_.groups[number];
  for (uint32_t i = 0; i < group.block_count; ++i) {
    const size_t at = group.first_block + i;
    if (--groups_in_[at] > 0 || at <= next_block_ || is_skipped_[at]) continue;
    // Everything that was needed of it came out of turn.
    is_skipped_[at] = true;
    read_bytes_.fetch_add(stored_extent_bytes(plan_.blocks[at].record()),
                          std::memory_order_relaxed);
    feed_->skip(at);
  }
}

void Sweep::to_next_group() {
  cursor_ = {.group = cursor_.group + 1};
}

void Sweep::hand_out_empty(Cursor& cursor, SweptPiece& piece) const {
  piece = {plan_.number_of(head(cursor)), 0, 0, {}, nullptr};
}

// True if that was the last of the group.
bool Sweep::hand_out(Cursor& cursor, const HeldBlock& block, SweptPiece& piece) {
  const SweepPlan::Group& of = group(cursor);
  const PlacedAsset& need = plan_.needs[of.begin + cursor.next_need];
  const format::Asset& asset = need.record();
  const uint64_t start = cursor.offset_bytes == 0 ? offset_in_block(asset) : 0;
  const uint64_t size =
      std::min(asset.size_bytes - cursor.offset_bytes, uint64_t{block.raw.size()} - start);
  block.buffer->retain();
  piece = {plan_.number_of(need), asset.size_bytes, cursor.offset_bytes,
           block.raw.subspan(start, size), block.buffer.get()};
  if (of.begin + ++cursor.next_need < of.end) return false;
  cursor.next_need = 0;
  cursor.offset_bytes += size;
  return is_over(cursor);
}

bool Sweep::jumps_to(size_t position) const {
  if (position == 0 || is_skipped_[position - 1]) return true;
  const BlockPlace& before = plan_.blocks[position - 1];
  const BlockPlace& place = plan_.blocks[position];
  return before.pack != place.pack || before.block + 1 != place.block;
}

void Sweep::count(size_t position, bool jumps) {
  reads_.fetch_add(1, std::memory_order_relaxed);
  read_bytes_.fetch_add(stored_extent_bytes(plan_.blocks[position].record()),
                        std::memory_order_relaxed);
  jumps_.fetch_add(jumps ? 1 : 0, std::memory_order_relaxed);
}

// The error, with the names of the assets that are lost if there is memory for them.
Error Sweep::lost(size_t position, Error error) const try {
  size_t count = 0;
  std::string names;
  for (size_t number = 0; number < plan_.groups.size(); ++number) {
    const SweepPlan::Group& group = plan_.groups[number];
    if (group.first_block > position) break;
    if (is_done_[number] || position - group.first_block >= group.block_count) continue;
    for (size_t i = group.begin; i < group.end; ++i)
      if (++count <= kNamesInAnError)
        names += (names.empty() ? "'" : ", '") + name_of(plan_.needs[i]) + "'";
  }
  if (count > kNamesInAnError) names += " and " + std::to_string(count - kNamesInAnError) + " more";
  if (count > 0) error.message += "; lost: " + names;
  return error;
} catch (const std::bad_alloc&) {
  return error;
}

Result<skl_result> Sweep::next_in_turn(SweptPiece& piece) {
  for (;;) {
    const bool has_group = cursor_.group < plan_.groups.size();
    if (has_group && (is_done_[cursor_.group] || is_wanted_[cursor_.group])) {
      to_next_group();
      continue;
    }
    // An empty asset has no bytes to wait for.
    if (has_group && group(cursor_).block_count == 0) {
      hand_out_empty(cursor_, piece);
      finish(cursor_.group);
      return SKL_OK;
    }
    if (has_group && position(cursor_) < next_block_) {
      finish(cursor_.group);  // with a block that couldn't be read
      continue;
    }
    if (next_block_ == plan_.blocks.size()) return SKL_END;
    if (is_skipped_[next_block_]) {
      ++next_block_;
      continue;
    }
    if (block_.buffer == nullptr) {
      auto fed = feed_->next(next_block_, block_);
      if (!is_for_good(fed)) return fed;
      count(next_block_, jumps_to(next_block_));
      if (!fed) return std::unexpected(lost(next_block_++, std::move(fed.error())));
    }
    if (has_group && position(cursor_) == next_block_) {
      if (hand_out(cursor_, block_, piece)) finish(cursor_.group);
      return SKL_OK;
    }
    block_ = {};
    ++next_block_;
  }
}

Result<skl_result> Sweep::next_wanted(SweptPiece& piece) {
  Cursor& cursor = wanted_[first_wanted_];
  const auto drop = [&] {
    finish(cursor.group);
    if (++first_wanted_ == wanted_.size()) {
      wanted_.clear();
      first_wanted_ = 0;
    }
    wanted_block_ = {};
    wanted_position_ = SIZE_MAX;
  };
  if (group(cursor).block_count == 0) {
    hand_out_empty(cursor, piece);
    drop();
    return SKL_OK;
  }
  const size_t at = position(cursor);
  const bool is_at_hand = at == next_block_ && block_.buffer != nullptr;
  if (!is_at_hand && wanted_position_ != at) {
    wanted_block_ = {};
    auto fed = feed_->now(at, wanted_block_);
    if (!is_for_good(fed)) return fed;
    total_bytes_.fetch_add(stored_extent_bytes(plan_.blocks[at].record()),
                           std::memory_order_relaxed);
    count(at, true);
    if (!fed) {
      Error error = lost(at, std::move(fed.error()));
      drop();
      return std::unexpected(std::move(error));
    }
    wanted_position_ = at;
  }
  if (hand_out(cursor, is_at_hand ? block_ : wanted_block_, piece)) drop();
  return SKL_OK;
}

Result<skl_result> Sweep::next(SweptPiece& piece) {
  if (!wanted_.empty()) {
    const auto answer = next_wanted(piece);
    if (!answer || *answer != SKL_WOULD_BLOCK) return answer;
  }
  const auto answer = next_in_turn(piece);
  if (answer && *answer == SKL_END && !wanted_.empty()) return SKL_WOULD_BLOCK;
  return answer;
}

void Sweep::list_groups() {
  Vector<Wantable> listed(wantable_.get_allocator());
  listed.reserve(plan_.needs.size());
  for (size_t i = 0; i < plan_.groups.size(); ++i)
    for (size_t need = plan_.groups[i].begin; need < plan_.groups[i].end; ++need)
      listed.push_back({plan_.number_of(plan_.needs[need]), i});
  std::ranges::sort(listed, [](const Wantable& a, const Wantable& b) {
    return std::pair(a.asset, a.group) < std::pair(b.asset, b.group);
  });
  wantable_ = std::move(listed);
}

skl_result Sweep::want(uint32_t asset) {
  if (wantable_.empty()) list_groups();
  const auto found = std::ranges::lower_bound(wantable_, asset, {}, &Wantable::asset);
  if (found == wantable_.end() || found->asset != asset) return SKL_NOT_FOUND;
  const size_t number = found->group;
  if (is_wanted_[number] && !is_done_[number]) return SKL_OK;
  const bool has_begun =
      number == cursor_.group && (cursor_.offset_bytes > 0 || cursor_.next_need > 0);
  if (is_done_[number] || has_begun || number < cursor_.group) return SKL_END;
  wanted_.push_back({.group = number});
  is_wanted_[number] = true;
  return SKL_OK;
}

skl_progress Sweep::progress() const {
  return {sizeof(skl_progress), read_bytes_.load(std::memory_order_relaxed),
          total_bytes_.load(std::memory_order_relaxed), reads_.load(std::memory_order_relaxed),
          jumps_.load(std::memory_order_relaxed)};
}

}  // namespace seekless::runtime
