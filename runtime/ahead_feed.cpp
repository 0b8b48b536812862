#include "runtime/ahead_feed.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

namespace seekless::runtime {
namespace {

using Buffer = std::unique_ptr<BlockBuffer, ReleaseBlock>;

// How many blocks of a sweep may be held at once: three quarters of the budget, so that what is
// wanted out of turn, and others, find room; and what the caller looks at counts.
size_t most_blocks(const BlockPool& pool, const Pack& pack) {
  const uint64_t blocks = pool.budget_bytes() / 4 * 3 / pack.header().block_bytes;
  return std::max<uint64_t>(blocks + 1 - std::min<uint64_t>(blocks, buffers_for(pack)), 1);
}

}  // namespace

// One block on its way. Only its owner changes it before it is submitted and after it is over.
struct AheadFeed::Read final : DeviceRead {
  enum class State : uint8_t { on_its_way, here, failed };

  Read(size_t at, const BlockPlace& of, Core& of_core, std::shared_ptr<Event> to_raise)
      : position(at), place(of), core(of_core), event(std::move(to_raise)) {}

  bool is_over() const { return state.load(std::memory_order_acquire) != State::on_its_way; }

  void done(std::optional<Error> failed) override {
    if (failed && failed->result == SKL_CANCELLED && is_pushed.exchange(false)) {
      priority = SKL_PRIORITY_URGENT;
      if (submit()) return;
    }
    if (!failed) failed = check();
    if (failed && failed->result == SKL_DAMAGED && !was_retried && is_all_there()) {
      was_retried = true;
      add(core.watch.counts.retried_blocks);
      core.watch.sing(SKL_CANARY_RETRIED_BLOCK, 0, offset_bytes, 0, 1,
                      file->name() + ": block " + std::to_string(place.block) +
                          " doesn't match its checksum and is read once more");
      if (submit()) return;
    }
    if (failed && failed->result == SKL_DAMAGED) add(core.watch.counts.damaged_blocks);
    failure = std::move(failed);
    stored.reset();
    if (failure) raw.reset();
    // From here on the owner may let go of this.
    const std::shared_ptr<Event> keeps = event;
    state.store(failure ? State::failed : State::here, std::memory_order_release);
    keeps->raise();
  }

  bool submit() {
    try {
      scheduler->submit(*this);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  // A file that ends too soon does so the second time, too.
  bool is_all_there() const { return came_whole; }

  std::optional<Error> check() {
    came_whole = true;
    const std::span<const std::byte> bytes(into, length_bytes);
    if (!place.pack->is_block(place.block, bytes)) return place.pack->wrong_block(place.block);
    content = raw->bytes().first(place.record().raw_bytes);
    if (place.record().codec == format::Codec::raw) return std::nullopt;
    const auto decoded = place.pack->decode_block(place.block, bytes, raw->bytes());
    if (!decoded) return decoded.error();
    return std::nullopt;
  }

  const size_t position;
  const BlockPlace place;
  Core& core;
  const std::shared_ptr<Event> event;
  Scheduler* scheduler = nullptr;
  Buffer stored;  // of a compressed block
  Buffer raw;
  std::span<const std::byte> content;
  std::optional<Error> failure;
  bool was_retried = false;
  bool came_whole = false;
  bool was_pushed = false;              // the owner's
  std::atomic<bool> is_pushed = false;  // cancelled only to be submitted as urgent
  std::atomic<State> state = State::on_its_way;
};

AheadFeed::AheadFeed(const SweepPlan& plan, Core& core, std::mutex& mutex,
                     std::shared_ptr<Event> event)
    : plan_(plan),
      core_(core),
      mutex_(mutex),
      event_(std::move(event)),
      is_skipped_(plan.blocks.size()) {
  core_.pool.add_user(*this);
}

AheadFeed::~AheadFeed() {
  core_.pool.remove_user(*this);
  while (!ahead_.empty()) drop_last();
  if (wanted_) drop(std::move(wanted_));
  for (;;) {
    const uint64_t seen = event_->count();
    bury();
    if (dropped_.empty()) return;
    event_->wait_past(seen, Event::kNever);
  }
}

void AheadFeed::bury() {
  std::erase_if(dropped_, [](const auto& read) { return read->is_over(); });
}

void AheadFeed::drop(std::unique_ptr<Read> read) {
  if (read->is_over()) return;
  read->is_pushed = false;
  read->scheduler->cancel(*read);
  dropped_.push_back(std::move(read));
}

void AheadFeed::drop_last() {
  next_ahead_ = ahead_.back()->position;
  drop(std::move(ahead_.back()));
  ahead_.pop_back();
}

void AheadFeed::give_up_ahead() {
  // Whoever holds it is at work, and gets on.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  while (ahead_.size() > 1) drop_last();
  bury();
}

// Sings if the plan leads backward, which well made packs don't.
void AheadFeed::note_place(size_t position) {
  if (position <= latest_position_) return;
  const auto place_of = [this](size_t at) {
    FilePlace place = plan_.blocks[at].pack->file().place();
    place.start_bytes += plan_.blocks[at].record().offset_bytes;
    return place;
  };
  const FilePlace before = place_of(std::exchange(latest_position_, position));
  const FilePlace place = place_of(position);
  if (place.device != before.device || place.start_bytes > before.start_bytes) return;
  const BlockPlace& block = plan_.blocks[position];
  core_.watch.sing(SKL_CANARY_BACKWARD_SEEK, 0, block.record().offset_bytes, 0, 1,
                   block.pack->file().name() + ": the sweep goes backward to block " +
                       std::to_string(block.block));
}

// Null if there is no memory.
std::unique_ptr<AheadFeed::Read> AheadFeed::begin(size_t position, int32_t priority,
                                                  bool is_needed_now) {
  const BlockPlace& place = plan_.blocks[position];
  const size_t block_bytes = place.pack->header().block_bytes;
  const auto acquire = [&] {
    return Buffer(is_needed_now ? core_.pool.acquire_urgently(block_bytes, this)
                                : core_.pool.acquire(block_bytes));
  };
  auto read = std::make_unique<Read>(position, place, core_, event_);
  read->raw = acquire();
  if (read->raw == nullptr) return nullptr;
  if (place.record().codec != format::Codec::raw) {
    read->stored = acquire();
    if (read->stored == nullptr) return nullptr;
  }
  read->file = &place.pack->file();
  read->offset_bytes = place.record().offset_bytes;
  read->length_bytes = stored_extent_bytes(place.record());
  read->into = (read->stored ? read->stored : read->raw)->bytes().data();
  read->priority = priority;
  read->scheduler = &core_.schedulers.of(*read->file);
  read->scheduler->submit(*read);
  return read;
}

void AheadFeed::read_ahead(size_t position, bool is_needed_now) {
  bury();
  if (ahead_.empty()) next_ahead_ = std::max(next_ahead_, position);
  const size_t most = most_blocks(core_.pool, *plan_.blocks[position].pack);
  for (; next_ahead_ < plan_.blocks.size() && ahead_.size() < most; ++next_ahead_) {
    if (is_skipped_[next_ahead_]) continue;
    auto read = begin(next_ahead_, SKL_PRIORITY_NORMAL, is_needed_now && ahead_.empty());
    if (read == nullptr) return;
    note_place(next_ahead_);
    ahead_.push_back(std::move(read));
  }
}

Result<skl_result> AheadFeed::take(std::unique_ptr<Read>& read, HeldBlock& block) {
  if (!read->is_over()) return SKL_WOULD_BLOCK;
  const std::unique_ptr<Read> over = std::move(read);
  if (over->failure) return std::unexpected(std::move(*over->failure));
  block = {std::move(over->raw), over->content};
  return SKL_OK;
}

Result<skl_result> AheadFeed::next(size_t position, HeldBlock& block) {
  while (!ahead_.empty() && ahead_.front()->position < position) {
    drop(std::move(ahead_.front()));
    ahead_.pop_front();
  }
  read_ahead(position, true);
  if (ahead_.empty() || ahead_.front()->position != position) return SKL_WOULD_BLOCK;
  const auto taken = take(ahead_.front(), block);
  if (taken && *taken != SKL_OK) return taken;
  ahead_.pop_front();
  read_ahead(position, false);
  return taken;
}

Result<skl_result> AheadFeed::now(size_t position, HeldBlock& block) {
  bury();
  const auto is_it = [position](const auto& read) { return read->position == position; };
  if (const auto found = std::ranges::find_if(ahead_, is_it); found != ahead_.end()) {
    Read& read = **found;
    if (!read.is_over()) {
      if (!std::exchange(read.was_pushed, true)) {
        read.is_pushed = true;
        read.scheduler->cancel(read);
      }
      return SKL_WOULD_BLOCK;
    }
    if (read.failure) return std::unexpected(*read.failure);
    read.raw->retain();  // it comes again in its turn
    block = {Buffer(read.raw.get()), read.content};
    return SKL_OK;
  }
  if (wanted_ && wanted_->position != position) drop(std::move(wanted_));
  if (!wanted_) {
    wanted_ = begin(position, SKL_PRIORITY_URGENT, true);
    if (!wanted_ && ahead_.size() > 1) {
      while (ahead_.size() > 1) drop_last();
      bury();
      wanted_ = begin(position, SKL_PRIORITY_URGENT, true);
    }
    if (!wanted_) return SKL_WOULD_BLOCK;
  }
  return take(wanted_, block);
}

void AheadFeed::skip(size_t position) {
  is_skipped_[position] = true;
  const auto is_it = [position](const auto& read) { return read->position == position; };
  const auto found = std::ranges::find_if(ahead_, is_it);
  if (found == ahead_.end()) return;
  drop(std::move(*found));
  ahead_.erase(found);
}

}  // namespace seekless::runtime
