#include "runtime/queue.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "runtime/cached_read.h"
#include "runtime/context.h"
#include "runtime/read_asset.h"
#include "runtime/short_text.h"

namespace seekless::runtime {
namespace {

// Limits a lease on an asset that isn't in a pack.
constexpr uint64_t kMostLeaseBytes = format::kDefaultBlockBytes;
// Sizes are rounded up to this, because buffers of few sizes are reused more often.
constexpr uint64_t kLeaseStepBytes = 64 * 1024;

uint64_t most_lease_bytes(const Place& place) {
  return place.pack != nullptr ? place.pack->header().block_bytes : kMostLeaseBytes;
}

// Up to this size, a read from the page cache takes less time than handing it to another thread and
// back. The handover takes 10 us, a read of 4 KiB 3 us, and a read of 64 KiB 17 us.
constexpr uint64_t kMostCachedBytes = 16 * 1024;
// Limits what one call reads on its own thread, in whole pages: 64 small reads take 0.2 ms of a
// frame, the longest delay for urgent requests later in the batch.
constexpr uint64_t kMostCachedBytesPerCall = 256 * 1024;

// Presents as a file an asset that must be decoded, or that only its mount can check.
class MountedFile final : public File {
 public:
  void set(const Located& located) { located_ = &located; }
  const std::string& name() const override { return located_->file().name(); }
  uint64_t size_bytes() const override { return located_->size_bytes(); }
  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    return located_->read(offset_bytes, into);
  }
  void will_need(uint64_t, uint64_t) const override {}
  FilePlace place() const override {
    FilePlace place = located_->file().place();
    const Place& of = located_->place;
    place.start_bytes += of.offset_bytes;
    if (of.pack != nullptr && !of.is_range && !of.pack->blocks().empty())
      place.start_bytes += of.pack->blocks()[of.pack->assets()[of.index].block].offset_bytes;
    return place;
  }

 private:
  const Located* located_ = nullptr;
};

}  // namespace

class Queue::Item final : public DeviceRead {
 public:
  enum class State : uint8_t { free, beginning, parked, reading, over };

  explicit Item(Queue& of) : queue(of) {}

  void done(std::optional<Error> failed) override;
  Result<void> check() const;
  Result<void> check_blocks(std::span<const std::byte> bytes) const;
  void name_asset(Error& error) const noexcept;
  bool retry(const Error& error);
  bool read_cached_bytes(uint64_t& left_bytes) const;
  void say(const Error& error) {
    if (request.error != nullptr) fill(request.error, error);
  }

  Queue& queue;
  State state = State::free;
  bool is_cancelled = false;
  bool was_retried = false;
  skl_request request = {};
  uint64_t asset_bytes = 0;
  uint64_t wanted_bytes = 0;
  uint64_t asked_us = 0;
  uint64_t due_us = 0;  // 0 means no deadline
  Located located;
  MountedFile mounted;
  Lease* lease = nullptr;  // the record for a wanted lease, taken before its memory
  Buffer buffer;
  Scheduler* scheduler = nullptr;
  skl_result result = SKL_OK;
  uint64_t took_us = 0;
  bool is_late = false;
  Item* next = nullptr;
  Item* previous = nullptr;  // links of the list of parked items
};

Queue::Queue(std::shared_ptr<Core> core, const NameSpace& names, const Recording& recording,
             const skl_queue_options& options)
    : core_(std::move(core)),
      names_(names),
      recording_(recording),
      on_completion_(options.on_completion),
      completion_user_(options.completion_user),
      capacity_(options.capacity) {
  const size_t bytes = capacity_ * (sizeof(Item) + sizeof(Mark));
  items_ = static_cast<Item*>(core_->memory.allocate(bytes, alignof(Item)));
  marks_ = reinterpret_cast<Mark*>(items_ + capacity_);
  for (uint32_t i = capacity_; i-- > 0;) {
    new (marks_ + i) Mark;
    free_ = new (items_ + i) Item(*this);
    free_->next = i + 1 < capacity_ ? free_ + 1 : nullptr;
  }
  try {
    core_->pool.add_user(*this);
    core_->add(*this);
  } catch (...) {
    end();
    throw;
  }
}

Queue::~Queue() {
  core_->remove(*this);
  close();
  for (uint32_t i = 0; i < capacity_; ++i) give_up_lease(items_[i]);
  end();
  delete handle_.load();
}

void Queue::end() {
  core_->pool.remove_user(*this);
  std::destroy_n(items_, capacity_);
  core_->memory.release(items_, capacity_ * (sizeof(Item) + sizeof(Mark)));
}

// Tells the caller that polling is worthwhile.
void Queue::signal() {
  if (const WaitHandle* const handle = handle_.load()) handle->signal();
  event_.raise();
}

Result<intptr_t> Queue::handle() {
  const std::lock_guard lock(mutex_);
  if (handle_.load() == nullptr) {
    auto made = WaitHandle::make();
    if (!made) return std::unexpected(made.error());
    (*made)->signal();  // there may already be a completion
    handle_.store(made->release());
  }
  return handle_.load()->get();
}

void Queue::close() {
  cancel(0, 0);
  core_->look_until(event_, Event::kNever, [this] {
    const std::lock_guard lock(mutex_);
    return under_way_ == 0;
  });
}

Queue::Item* Queue::take_free(const skl_request& request, size_t request_bytes) {
  const std::lock_guard lock(mutex_);
  Item* const item = free_;
  if (item == nullptr) return nullptr;
  free_ = item->next;
  take_struct(&request, item->request, request_bytes);
  item->asked_us = now_us();
  const uint32_t deadline_us = item->request.deadline_us;
  item->due_us = deadline_us != 0 ? item->asked_us + deadline_us : 0;
  item->is_late = false;
  const auto number = static_cast<uint32_t>(item - items_);
  if (number >= used_.load(std::memory_order_relaxed)) used_.store(number + 1);
  marks_[number].tag.store(item->request.tag, std::memory_order_relaxed);
  marks_[number].is_under_way.store(true, std::memory_order_release);
  item->state = Item::State::beginning;
  item->is_cancelled = false;
  item->was_retried = false;
  item->asset_bytes = item->wanted_bytes = 0;
  ++taken_;
  ++under_way_;
  return item;
}

skl_result Queue::submit(const Row<const skl_request>& requests, size_t& accepted) {
  accepted = 0;
  if (core_->is_closed()) return SKL_CANCELLED;
  uint64_t left_bytes = kMostCachedBytesPerCall;
  start_parked(left_bytes);
  for (; accepted < requests.count; ++accepted) {
    Item* const item = take_free(requests[accepted], requests.stride_bytes);
    if (item == nullptr) {
      add(core_->watch.counts.would_blocks);
      return SKL_WOULD_BLOCK;
    }
    add(core_->watch.counts.requests);
    begin(*item, left_bytes);
  }
  return SKL_OK;
}

// Finds the asset and submits the read, or completes the request at once.
void Queue::begin(Item& item, uint64_t& left_bytes) {
  const skl_request& request = item.request;
  const auto refuse = [&](const char* message) { fail(item, {SKL_INVALID, message}); };
  try {
    auto located = names_.locate(request.asset);
    if (!located) return fail(item, located.error());
    item.located = std::move(*located);
    core_->note_request(request.asset);
    const uint64_t size = item.located.size_bytes();
    if (request.offset_bytes > size) return refuse("offset_bytes: expected one within the asset");
    item.asset_bytes = size;
    item.wanted_bytes = std::min(request.length_bytes, size - request.offset_bytes);
    const uint32_t alignment = request.destination_alignment_bytes;
    if ((alignment & (alignment - 1)) != 0)
      return refuse("destination_alignment_bytes: expected a power of two");
    if (alignment != 0 && reinterpret_cast<uintptr_t>(request.destination) % alignment != 0)
      return refuse("destination: expected a multiple of destination_alignment_bytes");
    if (item.wanted_bytes == 0) return complete(item, SKL_OK);
    if (request.destination == nullptr && item.wanted_bytes > most_lease_bytes(item.located.place))
      return refuse("destination: expected one, for more than a block");
    const Place& place = item.located.place;
    // Only these assets are checked here; the mount reads and checks all others.
    const bool is_plain = place.is_range && (place.pack != nullptr || place.opened != nullptr ||
                                             item.wanted_bytes < size);
    item.mounted.set(item.located);
    item.file = is_plain ? place.file : &item.mounted;
    item.offset_bytes = request.offset_bytes + (is_plain ? place.offset_bytes : 0);
    item.length_bytes = item.wanted_bytes;
    item.is_whole = !is_plain;
    item.into = static_cast<std::byte*>(request.destination);
    item.is_passing = alignment >= format::kPageBytes;
    item.asset = request.asset;
    item.scheduler = &core_->schedulers.of(*item.file);
    if (start(item, left_bytes) == Start::impossible)
      refuse("destination: expected one, as the memory budget has no room for so much");
  } catch (...) {
    fail(item, error_of_exception());
  }
}

void Queue::fail(Item& item, const Error& error) {
  item.say(error);
  complete(item, error.result);
}

Queue::Start Queue::start(Item& item, uint64_t& left_bytes) {
  if (item.request.destination == nullptr) {
    const uint64_t shift = item.offset_bytes % format::kPageBytes;
    const uint64_t bytes = format::round_up(shift + item.wanted_bytes, kLeaseStepBytes);
    if (bytes > core_->pool.budget_bytes()) return Start::impossible;
    if (item.lease == nullptr) item.lease = core_->leases.take();
    item.buffer.reset(core_->pool.acquire_urgently(bytes, this));
    if (item.buffer != nullptr) item.into = item.buffer->bytes().data() + shift;
  }
  const bool has_memory = item.into != nullptr;
  // Damaged bytes are read again like others. Naming their asset in the error may read a table.
  const bool is_read =
      has_memory && item.read_cached_bytes(left_bytes) && !failure_of([&] { return item.check(); });
  std::unique_lock lock(mutex_);
  if (item.is_cancelled) {
    lock.unlock();
    complete(item, SKL_CANCELLED);
    return Start::done;
  }
  if (has_memory) {
    item.state = Item::State::reading;
    // Another thread may have changed the priority and deadline.
    item.priority = item.request.priority;
    item.deadline_us = item.due_us;
    if (!is_read) {
      item.scheduler->submit(item);
      return Start::done;
    }
    lock.unlock();
    complete(item, SKL_OK);
    return Start::done;
  }
  park(item);
  return Start::parked;
}

void Queue::park(Item& item) {
  item.state = Item::State::parked;
  item.next = nullptr;
  item.previous = std::exchange(last_parked_, &item);
  (item.previous != nullptr ? item.previous->next : parked_) = &item;
}

void Queue::unpark(Item& item) {
  item.state = Item::State::beginning;
  (item.previous != nullptr ? item.previous->next : parked_) = item.next;
  (item.next != nullptr ? item.next->previous : last_parked_) = item.previous;
}

void Queue::start_parked(uint64_t& left_bytes) {
  for (;;) {
    Item* item = nullptr;
    {
      const std::lock_guard lock(mutex_);
      item = parked_;
      if (item == nullptr) return;
      unpark(*item);
    }
    try {
      if (start(*item, left_bytes) == Start::parked) return;
    } catch (...) {
      fail(*item, error_of_exception());
    }
  }
}

// Checks every block that lies completely in the range, even if it also contains other assets.
Result<void> Queue::Item::check_blocks(std::span<const std::byte> bytes) const {
  const Pack& pack = *located.place.pack;
  const format::Asset& record = pack.assets()[located.place.index];
  const uint64_t block_bytes = pack.header().block_bytes;
  if (pack.block_count(record) < 2) return {};
  const uint64_t first = format::round_up(request.offset_bytes, block_bytes);
  for (uint64_t at = first; at + block_bytes <= request.offset_bytes + bytes.size();
       at += block_bytes) {
    const auto block = record.block + static_cast<uint32_t>(at / block_bytes);
    if (pack.blocks()[block].raw_bytes == block_bytes &&
        !pack.is_block(block, bytes.subspan(at - request.offset_bytes, block_bytes)))
      return std::unexpected(pack.wrong_block(block));
  }
  return {};
}

Result<void> Queue::Item::check() const {
  const Place& place = located.place;
  if (is_whole) return {};  // the mount has checked the whole asset
  const std::span<const std::byte> bytes(into, length_bytes);
  if (place.pack == nullptr) return {};
  if (wanted_bytes < place.size_bytes) return check_blocks(bytes);
  return check_content({place.pack, place.index}, bytes);
}

// Adds the path of the lost asset to the error, if there is memory for that.
void Queue::Item::name_asset(Error& error) const noexcept {
  (void)failure_of([&]() -> Result<void> {
    const auto path = located.mount->path(located.place.number);
    if (path && error.message.find(*path) == std::string::npos)
      error.message += join({"; lost: '", *path, "'"});
    return {};
  });
}

// Reads the bytes once more. Returns false if the request was cancelled.
bool Queue::Item::retry(const Error& error) {
  Watch& watch = queue.core_->watch;
  was_retried = true;
  add(watch.counts.retried_blocks);
  watch.sing(SKL_CANARY_RETRIED_BLOCK, asset, request.offset_bytes, 0, 1,
             ShortText(error.message, "; it is read once more"));
  const std::lock_guard lock(queue.mutex_);
  if (is_cancelled) return false;
  priority = request.priority;
  deadline_us = due_us;
  scheduler->submit(*this);
  return true;
}

// Reads on this thread if the bytes are in the page cache. A context without threads reads only in
// skl_pump. A completion function that submits would be called recursively. A whole asset is
// checked against its hash, for which the hash table may have to be read from the disk.
bool Queue::Item::read_cached_bytes(uint64_t& left_bytes) const {
  const Place& place = located.place;
  const uint64_t page_bytes = format::round_up(length_bytes, format::kPageBytes);
  const bool may =
      !is_whole && !is_passing && length_bytes <= kMostCachedBytes && page_bytes <= left_bytes &&
      queue.on_completion_ == nullptr && !queue.core_->is_pumped() &&
      (place.pack == nullptr || wanted_bytes < place.size_bytes || place.pack->holds_hashes());
  if (!may || !read_cached(*file, offset_bytes, {into, static_cast<size_t>(length_bytes)}))
    return false;
  left_bytes -= page_bytes;
  Counts& counts = queue.core_->watch.counts;
  add(counts.reads);
  add(counts.read_bytes, length_bytes);
  add(counts.cache_hits);
  return true;
}

// No exception may escape, not even bad_alloc, because it would end the game.
void Queue::Item::done(std::optional<Error> failed) {
  const bool is_read = !failed;
  if (is_read) failed = failure_of([this] { return check(); });
  if (is_read && failed && failed->result == SKL_DAMAGED && !was_retried) {
    bool comes_again = false;
    auto refused = failure_of([&]() -> Result<void> {
      comes_again = retry(*failed);
      return {};
    });
    if (comes_again) return;
    if (refused) failed = std::move(refused);
  }
  if (failed) {
    if (failed->result == SKL_DAMAGED) add(queue.core_->watch.counts.damaged_blocks);
    if (failed->result != SKL_CANCELLED && failed->result != SKL_OUT_OF_MEMORY) name_asset(*failed);
    say(*failed);
  }
  queue.complete(*this, failed ? failed->result : SKL_OK);
}

void Queue::complete(Item& item, skl_result result) {
  const uint64_t now = now_us();
  const uint64_t took_us = now - item.asked_us;
  uint64_t late_us = 0;
  {
    const std::lock_guard lock(mutex_);
    if (item.due_us != 0 && now > item.due_us) late_us = now - item.due_us;
  }
  Watch& watch = core_->watch;
  if (late_us > 0) {
    add(watch.counts.missed_deadlines);
    watch.sing(SKL_CANARY_MISSED_DEADLINE, item.request.asset, item.request.offset_bytes, late_us,
               1, "a request was answered too late");
  }
  if (result == SKL_OK && item.wanted_bytes > 0)
    recording_.note_read(item.request.asset, item.request.offset_bytes, item.wanted_bytes,
                         static_cast<int64_t>(item.asked_us) * 1000,
                         static_cast<int64_t>(took_us) * 1000);
  // Released without the lock and before the item ends, because its mount may end with it.
  const Located keeps = std::exchange(item.located, {});
  if (result != SKL_OK) give_up_lease(item);
  {
    const std::lock_guard lock(mutex_);
    if (item.is_cancelled) result = SKL_CANCELLED;
    if (result == SKL_CANCELLED) {
      item.say({SKL_CANCELLED, "cancelled"});
      give_up_lease(item);
      add(watch.counts.cancelled);
    }
    item.result = result;
    item.took_us = took_us;
    item.is_late = late_us > 0;
    item.state = Item::State::over;
    marks_[&item - items_].is_under_way.store(false, std::memory_order_relaxed);
    if (on_completion_ == nullptr) {
      item.next = nullptr;
      *over_end_ = &item;
      over_end_ = &item.next;
      --under_way_;
      // Signals under the lock, because the queue may be destroyed after it is unlocked.
      signal();
      return;
    }
  }
  call_back(item);
}

// The item is freed before the call, so that the function may submit the next request.
void Queue::call_back(Item& item) {
  skl_completion completion;
  hand_out(item, completion);
  free(item);
  on_completion_(completion_user_, &completion);
  const std::lock_guard lock(mutex_);
  --under_way_;
  event_.raise();
}

void Queue::free(Item& item) {
  const std::lock_guard lock(mutex_);
  item.state = Item::State::free;
  item.next = std::exchange(free_, &item);
  --taken_;
}

void Queue::give_up_lease(Item& item) {
  item.buffer.reset();
  if (item.lease != nullptr) core_->leases.put_back(std::exchange(item.lease, nullptr));
}

void Queue::hand_out(Item& item, skl_completion& completion) {
  completion = {};
  completion.struct_bytes = sizeof(completion);
  const skl_request& request = item.request;
  if (item.buffer != nullptr) {
    Lease* const lease = std::exchange(item.lease, nullptr);
    core_->leases.begin(*lease, core_, item.buffer.release(), request.asset, item.wanted_bytes);
    completion.lease = {request.asset,
                        item.asset_bytes,
                        request.offset_bytes,
                        item.into,
                        static_cast<size_t>(item.wanted_bytes),
                        lease};
  }
  completion.result = item.result;
  completion.missed_deadline = item.is_late ? 1 : 0;
  completion.asset = request.asset;
  completion.offset_bytes = request.offset_bytes;
  completion.read_bytes = item.result == SKL_OK ? item.wanted_bytes : 0;
  completion.tag = request.tag;
  completion.user = request.user;
  completion.latency_us = item.took_us;
}

skl_result Queue::poll(const Row<skl_completion>& out, size_t& count) {
  // Cleared before looking, so that a later completion signals again.
  if (const WaitHandle* const handle = handle_.load()) handle->clear();
  uint64_t left_bytes = kMostCachedBytesPerCall;
  start_parked(left_bytes);
  for (count = 0; count < out.count; ++count) {
    Item* item = nullptr;
    {
      const std::lock_guard lock(mutex_);
      item = over_;
      if (item == nullptr) break;
      over_ = item->next;
      if (over_ == nullptr) over_end_ = &over_;
    }
    skl_completion completion;
    hand_out(*item, completion);
    out[count].struct_bytes = static_cast<uint32_t>(out.stride_bytes);
    give_struct(completion, out[count]);
    free(*item);
  }
  const std::lock_guard lock(mutex_);
  if (over_ != nullptr) signal();
  return count == 0 && taken_ == 0 ? SKL_END : SKL_OK;
}

skl_result Queue::wait(uint32_t timeout_ms, const Row<skl_completion>& out, size_t& count) {
  const uint64_t begin = now_us();
  skl_result result = SKL_OK;
  core_->look_until(event_, deadline_of(timeout_ms), [&] {
    result = poll(out, count);
    return count > 0 || result != SKL_OK;
  });
  add(core_->watch.counts.wait_us, now_us() - begin);
  if (count > 0 || result != SKL_OK) return result;
  add(core_->watch.counts.would_blocks);
  return SKL_WOULD_BLOCK;
}

// Calls act(item) for the tag's unfinished items. It takes the lock only for the call, not for the
// search.
template <typename Act>
size_t Queue::for_each_meant(uint64_t tag, uint64_t mask, Act act) {
  size_t count = 0;
  const uint32_t used = used_.load();
  for (uint32_t i = 0; i < used; ++i) {
    const Mark& mark = marks_[i];
    const auto is_meant = [&] {
      return mark.is_under_way.load(std::memory_order_acquire) &&
             ((mark.tag.load(std::memory_order_relaxed) ^ tag) & mask) == 0;
    };
    if (!is_meant()) continue;
    const std::lock_guard lock(mutex_);
    if (is_meant() && !items_[i].is_cancelled && act(items_[i])) ++count;
  }
  return count;
}

size_t Queue::cancel(uint64_t tag, uint64_t mask) {
  Item* unread = nullptr;
  const size_t count = for_each_meant(tag, mask, [&](Item& item) {
    item.is_cancelled = true;
    if (item.state == Item::State::reading) item.scheduler->cancel(item);
    if (item.state == Item::State::parked) {
      unpark(item);
      item.next = std::exchange(unread, &item);
    }
    return true;
  });
  while (unread != nullptr) {
    Item& item = *std::exchange(unread, unread->next);
    complete(item, SKL_CANCELLED);
  }
  return count;
}

size_t Queue::reschedule(uint64_t tag, uint64_t mask, int32_t priority, uint32_t deadline_us) {
  return for_each_meant(tag, mask, [&](Item& item) {
    const uint64_t due_us = deadline_us != 0 ? now_us() + deadline_us : 0;
    if (item.state == Item::State::reading && !item.scheduler->reschedule(item, priority, due_us))
      return false;
    item.request.priority = priority;
    item.due_us = due_us;
    return true;
  });
}

}  // namespace seekless::runtime
