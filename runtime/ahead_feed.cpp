#include "runtime/ahead_feed.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "runtime/short_text.h"

namespace seekless::runtime {
namespace {

// At most this many blocks of a sweep are held at once. Together with the caller's current block
// they take three quarters of the budget, which leaves room for blocks wanted out of turn and for
// other users.
size_t most_blocks(const BlockPool& pool, const Pack& pack) {
  const uint64_t blocks = pool.budget_bytes() / 4 * 3 / pack.header().block_bytes;
  return std::max<uint64_t>(blocks + 1 - std::min<uint64_t>(blocks, buffers_for(pack)), 1);
}

}  // namespace

// A block that is being read. Only its owner changes it, before it is submitted and after it has
// ended.
struct AheadFeed::Read final : DeviceRead, Workers::Job {
  // `dropped`: its owner no longer wants it, but it is still being read.
  enum class State : uint8_t { on_its_way, here, failed, dropped };

  explicit Read(AheadFeed& of) : feed(of) { is_passing = true; }

  bool is_over() const { return state.load(std::memory_order_acquire) != State::on_its_way; }
  bool is_to_be_read_again() const { return failure && failure->result == SKL_OUT_OF_MEMORY; }

  // No exception may escape, not even bad_alloc, because it would end the game.
  void done(std::optional<Error> failed) override {
    if (failed && failed->result == SKL_CANCELLED && is_pushed.exchange(false)) {
      priority = SKL_PRIORITY_URGENT;
      failed = submit();
      if (!failed) return;
    }
    // Decoding here would delay the scheduler's next read, so a worker does it.
    if (!failed && is_compressed(place.record())) return feed.core_.workers.run(*this);
    finish(failed ? std::move(failed) : failure_of([this] { return check(); }));
  }

  void work() noexcept override {
    finish(failure_of([this] { return check(); }));
  }

  void finish(std::optional<Error> failed) noexcept {
    if (failed && failed->result == SKL_DAMAGED && !was_retried && came_whole) {
      was_retried = true;
      Watch& watch = feed.core_.watch;
      add(watch.counts.retried_blocks);
      watch.sing(SKL_CANARY_RETRIED_BLOCK, 0, offset_bytes, 0, 1,
                 ShortText(file->name(), ": block ", place.block,
                           " doesn't match its checksum and is read once more"));
      failed = submit();
      if (!failed) return;
    }
    if (failed && failed->result == SKL_DAMAGED) add(feed.core_.watch.counts.damaged_blocks);
    failure = std::move(failed);
    stored.reset();
    if (failure) raw.reset();
    // From here on the owner may destroy this object.
    const std::shared_ptr<Event> keeps = feed.event_;
    State expected = State::on_its_way;
    if (!state.compare_exchange_strong(expected, failure ? State::failed : State::here,
                                       std::memory_order_acq_rel)) {
      raw.reset();
      failure.reset();
      const std::lock_guard lock(feed.records_);
      next = std::exchange(feed.spare_, this);
      --feed.dropped_;
    }
    keeps->raise();
  }

  // Returns the failure, or none if the block is being read again.
  std::optional<Error> submit() noexcept {
    came_whole = false;
    return failure_of([this]() -> Result<void> {
      scheduler->submit(*this);
      return {};
    });
  }

  // A file that is too short isn't read again, because that would fail again.
  Result<void> check() {
    came_whole = true;
    const auto decoded = place.pack->decode_block(place.block, {into, length_bytes}, raw->bytes());
    if (!decoded) return std::unexpected(decoded.error());
    content = *decoded;
    return {};
  }

  AheadFeed& feed;
  size_t position = 0;
  BlockPlace place;
  Scheduler* scheduler = nullptr;
  Buffer stored;  // the stored bytes of a compressed block
  Buffer raw;
  std::span<const std::byte> content;
  std::optional<Error> failure;
  bool was_retried = false;
  bool came_whole = false;
  bool was_pushed = false;  // used only by the owner
  // True if the read was cancelled only to be submitted again as urgent.
  std::atomic<bool> is_pushed = false;
  std::atomic<State> state = State::on_its_way;
  Read* previous = nullptr;  // links of the list
  Read* next = nullptr;
};

// A pack that is being opened. Its tables are read by File::read_at.
struct AheadFeed::Opening final : Workers::Job {
  Opening(const PackSet& of, uint32_t which, std::shared_ptr<Event> over)
      : set(of), number(which), event(std::move(over)) {}

  void work() noexcept override {
    failure = failure_of([this]() -> Result<void> {
      const auto pack = set.pack(number);
      if (!pack) return std::unexpected(pack.error());
      return {};
    });
    // From here on the owner may destroy this object.
    const std::shared_ptr<Event> keeps = event;
    is_over.store(true, std::memory_order_release);
    keeps->raise();
  }

  const PackSet& set;
  const uint32_t number;
  const std::shared_ptr<Event> event;
  std::optional<Error> failure;
  std::atomic<bool> is_over = false;
};

void AheadFeed::Row::push_back(Read& read) {
  read.next = nullptr;
  read.previous = std::exchange(last, &read);
  (read.previous != nullptr ? read.previous->next : first) = &read;
  ++size;
}

void AheadFeed::Row::take_out(Read& read) {
  (read.previous != nullptr ? read.previous->next : first) = read.next;
  (read.next != nullptr ? read.next->previous : last) = read.previous;
  --size;
}

AheadFeed::Read* AheadFeed::Row::find(size_t position) const {
  Read* read = first;
  while (read != nullptr && read->position != position) read = read->next;
  return read;
}

AheadFeed::AheadFeed(const SweepPlan& plan, Core& core, std::mutex& mutex,
                     std::shared_ptr<Event> event)
    : plan_(plan),
      core_(core),
      mutex_(mutex),
      event_(std::move(event)),
      is_skipped_(plan.blocks.size(), false, core.memory) {
  core_.pool.add_user(*this);
}

AheadFeed::~AheadFeed() {
  core_.pool.remove_user(*this);
  while (!ahead_.empty()) drop_last();
  if (wanted_ != nullptr) drop(*wanted_);
  core_.look_until(*event_, Event::kNever, [this] {
    const std::lock_guard lock(records_);
    return dropped_ == 0 && (opening_ == nullptr || opening_->is_over);
  });
  while (spare_ != nullptr) {
    Read* const read = std::exchange(spare_, spare_->next);
    read->~Read();
    core_.memory.release(read, sizeof(Read));
  }
}

AheadFeed::Read& AheadFeed::new_read() {
  {
    const std::lock_guard lock(records_);
    if (spare_ != nullptr) return *std::exchange(spare_, spare_->next);
  }
  return *new (core_.memory.allocate(sizeof(Read), alignof(Read))) Read(*this);
}

void AheadFeed::reuse(Read& read) {
  read.raw.reset();
  read.stored.reset();
  read.failure.reset();
  const std::lock_guard lock(records_);
  read.next = std::exchange(spare_, &read);
}

// The record is reused only after the scheduler is done with it.
void AheadFeed::drop(Read& read) {
  read.is_pushed = false;
  if (!read.is_over()) read.scheduler->cancel(read);
  {
    const std::lock_guard lock(records_);
    ++dropped_;
  }
  if (read.state.exchange(Read::State::dropped, std::memory_order_acq_rel) ==
      Read::State::on_its_way)
    return;
  reuse(read);
  const std::lock_guard lock(records_);
  --dropped_;
}

void AheadFeed::drop_last() {
  Read& read = *ahead_.last;
  next_ahead_ = read.position;
  ahead_.take_out(read);
  drop(read);
}

// Blocks from `position` on will be read again.
void AheadFeed::rewind(size_t position) {
  while (!ahead_.empty() && ahead_.last->position >= position) drop_last();
  next_ahead_ = position;
}

void AheadFeed::give_up_ahead() {
  // If another thread holds the lock, it is using the blocks, so they stay.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  while (ahead_.size > 1) drop_last();
}

// Warns if the plan goes backward on the disk, which doesn't happen with well-made packs.
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
  core_.watch.sing(
      SKL_CANARY_BACKWARD_SEEK, 0, block.record().offset_bytes, 0, 1,
      ShortText(block.pack->file().name(), ": the sweep goes backward to block ", block.block));
}

// Returns null if the budget has no space.
AheadFeed::Read* AheadFeed::begin(size_t position, int32_t priority, bool is_needed_now) {
  const BlockPlace& place = plan_.blocks[position];
  const size_t block_bytes = place.pack->header().block_bytes;
  std::array<Buffer, 2> buffers;  // either all buffers that the block needs, or none
  const auto needed = std::span(buffers).first(is_compressed(place.record()) ? 2 : 1);
  if (!(is_needed_now ? core_.pool.acquire_urgently(block_bytes, needed, this)
                      : core_.pool.acquire(block_bytes, needed)))
    return nullptr;
  Scheduler& scheduler = core_.schedulers.of(place.pack->file());
  Read& read = new_read();
  read.position = position;
  read.place = place;
  read.raw = std::move(buffers[0]);
  read.stored = std::move(buffers[1]);
  read.was_retried = read.came_whole = read.was_pushed = false;
  read.is_pushed = false;
  read.state.store(Read::State::on_its_way, std::memory_order_relaxed);
  read.file = &place.pack->file();
  read.offset_bytes = place.record().offset_bytes;
  read.length_bytes = stored_extent_bytes(place.record());
  read.into = (read.stored ? read.stored : read.raw)->bytes().data();
  read.priority = priority;
  read.scheduler = &scheduler;
  try {
    scheduler.submit(read);
  } catch (...) {
    reuse(read);
    throw;
  }
  return &read;
}

void AheadFeed::extend(size_t position, bool is_needed_now) {
  if (ahead_.empty()) next_ahead_ = std::max(next_ahead_, position);
  const size_t most = most_blocks(core_.pool, *plan_.blocks[position].pack);
  for (; next_ahead_ < plan_.blocks.size() && ahead_.size < most; ++next_ahead_) {
    if (is_skipped_[next_ahead_]) continue;
    Read* const read = begin(next_ahead_, SKL_PRIORITY_NORMAL, is_needed_now && ahead_.empty());
    if (read == nullptr) return;
    note_place(next_ahead_);
    ahead_.push_back(*read);
  }
}

// Throws only if the block that is needed now can't be read.
void AheadFeed::read_ahead(size_t position, bool is_needed_now) {
  try {
    extend(position, is_needed_now);
  } catch (...) {
    if (is_needed_now && ahead_.empty()) throw;
  }
}

// Returns true if all blocks planned so far have been read.
bool AheadFeed::has_read_all() const {
  if (next_ahead_ < plan_.blocks.size()) return false;
  for (const Read* read = ahead_.first; read != nullptr; read = read->next)
    if (!read->is_over()) return false;
  return true;
}

// A pack is opened after all blocks of earlier packs have been read, so the head seeks to it only
// once.
Result<skl_result> AheadFeed::open_next(bool is_needed) {
  const uint32_t number = *plan_.next_pack();
  if (opening_ == nullptr) {
    if (plan_.set->is_open(number)) return SKL_OK;
    if (!is_needed && !has_read_all()) return SKL_WOULD_BLOCK;
    opening_ = make_owned<Opening>(core_.memory, *plan_.set, number, event_);
    core_.workers.run(*opening_);
  }
  if (!opening_->is_over.load(std::memory_order_acquire)) return SKL_WOULD_BLOCK;
  if (!opening_->failure) {
    opening_.reset();
    return SKL_OK;
  }
  // The failure is reported when the sweep reaches this pack.
  if (!is_needed) return SKL_WOULD_BLOCK;
  const Owned<Opening> failed = std::move(opening_);
  return std::unexpected(std::move(*failed->failure));
}

// Delivers the block or its error, and returns the record.
Result<skl_result> AheadFeed::take(Read& read, HeldBlock& block) {
  if (read.failure) {
    Error failure = std::move(*read.failure);
    reuse(read);
    return std::unexpected(std::move(failure));
  }
  block = {std::move(read.raw), read.content};
  reuse(read);
  return SKL_OK;
}

Result<skl_result> AheadFeed::next(size_t position, HeldBlock& block) {
  while (!ahead_.empty() && ahead_.first->position < position) {
    Read& passed = *ahead_.first;
    ahead_.take_out(passed);
    drop(passed);
  }
  read_ahead(position, true);
  if (ahead_.empty() || ahead_.first->position != position) return SKL_WOULD_BLOCK;
  Read& read = *ahead_.first;
  if (!read.is_over()) return SKL_WOULD_BLOCK;
  const bool comes_again = read.is_to_be_read_again();
  ahead_.take_out(read);
  auto taken = take(read, block);
  if (comes_again)
    rewind(position);
  else
    read_ahead(position, false);
  return taken;
}

// Delivers, out of turn, a block that is already being read ahead. The block is delivered again in
// its turn.
Result<skl_result> AheadFeed::now(Read& read, HeldBlock& block) {
  if (!read.is_over()) {
    if (!std::exchange(read.was_pushed, true)) {
      read.is_pushed = true;
      read.scheduler->cancel(read);
    }
    return SKL_WOULD_BLOCK;
  }
  if (read.is_to_be_read_again()) {
    const Error failure = *read.failure;
    rewind(read.position);
    return std::unexpected(failure);
  }
  if (read.failure) return std::unexpected(*read.failure);
  read.raw->retain();
  block = {Buffer(read.raw.get()), read.content};
  return SKL_OK;
}

Result<skl_result> AheadFeed::now(size_t position, HeldBlock& block) {
  if (Read* const read = ahead_.find(position)) return now(*read, block);
  if (wanted_ != nullptr && wanted_->position != position) drop(*std::exchange(wanted_, nullptr));
  if (wanted_ == nullptr) {
    wanted_ = begin(position, SKL_PRIORITY_URGENT, true);
    if (wanted_ == nullptr && ahead_.size > 1) {
      while (ahead_.size > 1) drop_last();
      wanted_ = begin(position, SKL_PRIORITY_URGENT, true);
    }
    if (wanted_ == nullptr) return SKL_WOULD_BLOCK;
  }
  if (!wanted_->is_over()) return SKL_WOULD_BLOCK;
  return take(*std::exchange(wanted_, nullptr), block);
}

void AheadFeed::fit_plan() {
  is_skipped_.resize(plan_.blocks.size(), false);
}

void AheadFeed::skip(size_t position) {
  is_skipped_[position] = true;
  Read* const read = ahead_.find(position);
  if (read == nullptr) return;
  ahead_.take_out(*read);
  drop(*read);
}

}  // namespace seekless::runtime
