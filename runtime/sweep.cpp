#include "runtime/sweep.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "runtime/heap_sort.h"
#include "runtime/read_asset.h"

namespace seekless::runtime {
namespace {

constexpr size_t kNamesInAnError = 3;

// Returns true if the block needn't be requested again: it has arrived, or it is lost.
bool is_for_good(const Result<skl_result>& fed) {
  return fed ? *fed == SKL_OK : fed.error().result != SKL_OUT_OF_MEMORY;
}

}  // namespace

Sweep::Sweep(SweepPlan plan, uint64_t budget_bytes, const Memory& memory)
    : plan_(std::move(plan)),
      budget_bytes_(budget_bytes),
      is_done_(memory),
      is_wanted_(memory),
      groups_in_(memory),
      is_skipped_(memory),
      wantable_(memory),
      wanted_(memory),
      unopened_(memory) {}

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
  auto sweep = make_owned<Sweep>(memory, std::move(*plan), pool.budget_bytes(), memory);
  for (const BlockPlace& place : sweep->plan_.blocks)
    if (auto fits = sweep->check_budget(*place.pack); !fits) return std::unexpected(fits.error());
  sweep->feed_ = make_feed(sweep->plan_);
  sweep->fit_plan();
  return sweep;
}

Result<void> Sweep::check_budget(const Pack& pack) const {
  const uint32_t block_bytes = pack.header().block_bytes;
  const uint32_t buffers = buffers_for(pack);
  if (budget_bytes_ / buffers >= block_bytes) return {};
  return make_error(SKL_INVALID,
                    {pack.file().name(), ": expected a memory budget of at least ",
                     uint64_t{block_bytes} * buffers, " bytes, found ", budget_bytes_});
}

// Call this after the plan has changed. If this throws std::bad_alloc, the next call of next() or
// want() tries again.
void Sweep::fit_plan() {
  is_fit_ = false;
  const size_t groups = plan_.groups.size();
  const size_t blocks = plan_.blocks.size();
  feed_->fit_plan();
  is_done_.reserve(groups);
  is_wanted_.reserve(groups);
  groups_in_.reserve(blocks);
  is_skipped_.reserve(blocks);
  const size_t fitted = is_done_.size();
  is_done_.resize(groups, false);
  is_wanted_.resize(groups, false);
  groups_in_.resize(blocks, 0);
  is_skipped_.resize(blocks, false);
  for (size_t number = fitted; number < groups; ++number)
    for (uint32_t i = 0; i < plan_.groups[number].block_count; ++i)
      ++groups_in_[plan_.groups[number].first_block + i];
  total_bytes_.fetch_add(plan_.total_bytes - planned_bytes_, std::memory_order_relaxed);
  planned_bytes_ = plan_.total_bytes;
  wantable_.clear();
  want_opened();
  is_fit_ = true;
}

Result<void> Sweep::add_opened_pack() {
  const auto pack = plan_.set->pack(*plan_.next_pack());
  if (!pack) return std::unexpected(pack.error());
  if (auto fits = check_budget(**pack); !fits) return fits;
  return plan_.add_next();
}

// Returns SKL_OK if the plan now has the next pack. An error of a pack that isn't needed yet is
// reported when the sweep reaches it.
Result<skl_result> Sweep::add_pack(bool is_needed) {
  auto opened = feed_->open_next(is_needed);
  if (opened && *opened != SKL_OK) return opened;
  auto added = opened ? add_opened_pack() : std::unexpected(std::move(opened.error()));
  if (added) {
    fit_plan();
    return SKL_OK;
  }
  if (!is_needed) return SKL_WOULD_BLOCK;
  Error error = std::move(added.error());
  if (error.result == SKL_OUT_OF_MEMORY) return std::unexpected(std::move(error));
  const size_t lost = plan_.drop_next();
  is_fit_ = false;
  error.message +=
      join({"; lost: all that the sweep needs of it, ", lost, lost == 1 ? " asset" : " assets"});
  return std::unexpected(std::move(error));
}

// Returns the position of the block in which the cursor's next part lies.
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
    // All assets needed from the block were already delivered out of turn.
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

// Returns true if this was the last part of the group.
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

// Adds the names of the lost assets to the error, if there is memory for them.
Error Sweep::lost(size_t position, Error error) const try {
  size_t count = 0;
  std::string names;
  for (size_t number = 0; number < plan_.groups.size(); ++number) {
    const SweepPlan::Group& group = plan_.groups[number];
    if (group.first_block > position) break;
    if (is_done_[number] || position - group.first_block >= group.block_count) continue;
    for (size_t i = group.begin; i < group.end; ++i)
      if (++count <= kNamesInAnError)
        names += join({names.empty() ? "'" : ", '", name_of(plan_.needs[i]), "'"});
  }
  if (count > kNamesInAnError) names += join({" and ", count - kNamesInAnError, " more"});
  if (count > 0) error.message += join({"; lost: ", names});
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
      finish(cursor_.group);  // the group has a block that couldn't be read
      continue;
    }
    if (next_block_ == plan_.blocks.size()) {
      if (!plan_.next_pack()) return SKL_END;
      auto added = add_pack(true);
      if (!added || *added != SKL_OK) return added;
      continue;
    }
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
  if (!is_fit_) fit_plan();
  while (plan_.next_pack()) {
    const auto added = add_pack(!unopened_.empty());
    if (!added) return std::unexpected(added.error());
    if (*added != SKL_OK) break;
  }
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
  heap_sort(listed, [](const Wantable& one) { return std::pair(one.asset, one.group); });
  wantable_ = std::move(listed);
}

const Sweep::Wantable* Sweep::find_wantable(uint32_t asset) {
  if (wantable_.empty()) list_groups();
  const auto found = std::ranges::lower_bound(wantable_, asset, {}, &Wantable::asset);
  return found == wantable_.end() || found->asset != asset ? nullptr : &*found;
}

skl_result Sweep::want_group(size_t number) {
  if (is_wanted_[number] && !is_done_[number]) return SKL_OK;
  const bool has_begun =
      number == cursor_.group && (cursor_.offset_bytes > 0 || cursor_.next_need > 0);
  if (is_done_[number] || has_begun || number < cursor_.group) return SKL_END;
  wanted_.push_back({.group = number});
  is_wanted_[number] = true;
  return SKL_OK;
}

// Handles wanted assets whose pack is now planned, or can't be opened.
void Sweep::want_opened() {
  for (size_t i = 0; i < unopened_.size();) {
    if (plan_.will_bring(unopened_[i])) {
      ++i;
      continue;
    }
    if (const Wantable* found = find_wantable(unopened_[i])) want_group(found->group);
    unopened_.erase(unopened_.begin() + static_cast<ptrdiff_t>(i));
  }
}

skl_result Sweep::want(uint32_t asset) {
  if (!is_fit_) fit_plan();
  if (const Wantable* found = find_wantable(asset)) return want_group(found->group);
  if (!plan_.brings(asset)) return SKL_NOT_FOUND;
  if (!plan_.will_bring(asset)) return SKL_END;
  if (std::ranges::find(unopened_, asset) == unopened_.end()) unopened_.push_back(asset);
  return SKL_OK;
}

skl_progress Sweep::progress() const {
  return {sizeof(skl_progress), read_bytes_.load(std::memory_order_relaxed),
          total_bytes_.load(std::memory_order_relaxed), reads_.load(std::memory_order_relaxed),
          jumps_.load(std::memory_order_relaxed)};
}

}  // namespace seekless::runtime
