// An engine on Linux's io_uring: it reads without one thread per read. A few threads read files
// without a descriptor (a test's, the simulator's) and assets that must be decoded.
#include "runtime/io_engine.h"

namespace seekless::runtime {

// A disk serves one read at a time, and a thread's hints keep it busy, so threads are better for
// it.
SystemEngine system_engine() {
  return {.backend = SKL_BACKEND_URING, .disk_depth = 0};
}

}  // namespace seekless::runtime

#ifndef SEEKLESS_URING

namespace seekless::runtime {

std::unique_ptr<IoEngine> make_system_engine(uint32_t, bool) {
  return nullptr;
}

}  // namespace seekless::runtime

#else

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <exception>
#include <utility>
#include <vector>

#include <liburing.h>
#include <poll.h>
#include <sys/uio.h>

#include "runtime/descriptor_posix.h"
#include "runtime/event.h"
#include "runtime/wait_handle.h"

namespace seekless::runtime {
namespace {

constexpr size_t kMostPiecesOfACall =
    64;  // maximum number of pieces in a call; the rest follows as after a short read
constexpr uint32_t kPauseMs = 5;  // pause before refused entries are submitted again
constexpr uint32_t kMostThreads = 4;
// Limits consecutive refusals for lack of memory or time. With the pauses, this is half a second.
constexpr uint32_t kMostRefusals = 100;

// A read in flight, with its iovec list for the kernel.
struct RingSlot {
  IoRead* read = nullptr;
  std::array<iovec, kMostPiecesOfACall> row;
};

// Returns true if the kernel only lacks memory or time. Any other failure is permanent: a filter
// that forbids the call (EPERM, ENOSYS), or a ring whose descriptor somebody has closed (EBADF).
bool is_not_now(int answer) {
  return answer == -EAGAIN || answer == -EBUSY || answer == -EINTR || answer == -ENOMEM ||
         answer == -ETIME;
}

// The ring may fail at any time, because of a seccomp filter or a closed descriptor. Then it is
// dead: it gets no more reads, and threads do the reads that the kernel hadn't accepted. Accepted
// reads still complete in the ring, which stays mapped, so the engine waits for them.
class UringEngine final : public IoEngine {
 public:
  static std::unique_ptr<UringEngine> create(uint32_t depth, bool has_threads) {
    std::unique_ptr<UringEngine> engine(new UringEngine(depth, has_threads));
    // One extra entry is for the event.
    if (::io_uring_queue_init(depth + 1, &engine->ring_, 0) != 0) return nullptr;
    engine->has_ring_ = true;
    engine->identity_ = DescriptorIdentity(engine->ring_.ring_fd);
    ::io_uring_ring_dontfork(&engine->ring_);
    auto event = WaitHandle::make();
    if (!event || !engine->is_served()) return nullptr;
    engine->event_ = *std::move(event);
    return engine;
  }

  ~UringEngine() override {
    threads_.reset();
    waiting_.clear();
    is_closing_ = true;
    for (done_.clear(); in_flight_ > 0; done_.clear()) collect(kForEver);
    if (!has_ring_) return;
    // The descriptor now belongs to another file, so don't close it.
    if (!identity_.is_of(ring_.ring_fd)) ring_.ring_fd = -1;
    ::io_uring_queue_exit(&ring_);
  }

  uint32_t depth() const override { return static_cast<uint32_t>(slots_.size()); }

  void submit(IoRead& read) override {
    read.done_bytes = 0;
    read.has_waited = false;
    read.failure.reset();
    if (is_dead_ || read.file->descriptor() == kNoDescriptor) {
      hand_over(read);
    } else if (!free_slots_.empty()) {
      start(read);
    } else {
      waiting_.push(read);
    }
  }

  size_t reap(std::span<IoRead*> done, uint32_t timeout_ms) override {
    // Without threads, this thread must do the reads that were passed on.
    const bool has_work = !done_.empty() || (!has_worker_threads_ && handed_over_ > 0);
    collect(has_work ? 0 : timeout_ms);
    const size_t count = done_.pop_to(done);
    if (threads_ == nullptr) return count;
    const size_t by_threads = threads_->reap(done.subspan(count), 0);
    handed_over_ -= by_threads;
    return count + by_threads;
  }

  void wake() override {
    woken_.raise();
    if (waits_in_ring_.load()) event_->signal();
  }

 private:
  UringEngine(uint32_t depth, bool has_threads) : has_worker_threads_(has_threads), slots_(depth) {
    for (size_t i = depth; i-- > 0;) free_slots_.push_back(i);
  }

  // Submits an empty entry, because some systems allow making a ring but refuse its use.
  bool is_served() {
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_nop(entry);
    ::io_uring_submit_and_wait(&ring_, 1);
    const bool is_answered = ::io_uring_cq_ready(&ring_) == 1;
    if (is_answered) ::io_uring_cq_advance(&ring_, 1);
    return is_answered;
  }

  // If the system can't start a thread, the scheduler's own thread reads it.
  void hand_over(IoRead& read) noexcept {
    try {
      if (threads_ == nullptr)
        threads_ =
            has_worker_threads_ ? make_threads_engine(kMostThreads, this) : make_inline_engine();
      threads_->submit(read);
      ++handed_over_;
    } catch (const std::exception&) {
      read_now(read);
      done_.push(read);
    }
  }

  void start(IoRead& read) {
    RingSlot& slot = slots_[free_slots_.back()];
    free_slots_.pop_back();
    slot.read = &read;
    ++in_flight_;
    ask(slot);
  }

  // Submits the part of the read that is still missing.
  void ask(RingSlot& slot) {
    const IoRead& read = *slot.read;
    io_uring_sqe* entry = new_entry();
    if (entry == nullptr) {
      die();
      return give_up(slot);
    }
    unsigned count = 0;
    uint64_t skip = read.done_bytes;
    for (size_t i = 0; i < read.pieces.size() && count < kMostPiecesOfACall; ++i) {
      const std::span<std::byte> piece = read.pieces[i];
      if (skip >= piece.size()) {
        skip -= piece.size();
        continue;
      }
      slot.row[count++] = {piece.data() + skip, piece.size() - skip};
      skip = 0;
    }
    ::io_uring_prep_readv(
        entry, static_cast<int>(read.file->descriptor()), slot.row.data(), count,
        read.file->descriptor_offset_bytes() + read.offset_bytes + read.done_bytes);
    ::io_uring_sqe_set_data(entry, &slot);
    enter();
    // Reads from the page cache have completed by now.
    if (slot.read != nullptr) slot.read->has_waited = ::io_uring_cq_ready(&ring_) == 0;
  }

  // Returns null if the kernel still hasn't taken earlier entries. Otherwise there is room for each
  // slot and the event.
  io_uring_sqe* new_entry() {
    if (is_dead_) return nullptr;
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    if (entry != nullptr) return entry;
    enter();
    return is_dead_ ? nullptr : ::io_uring_get_sqe(&ring_);
  }

  // Makes the kernel accept the submitted entries.
  void enter() {
    if (is_dead_) return;
    const int answer = is_own() ? ::io_uring_submit(&ring_) : -EBADF;
    if (answer > 0) refusals_ = 0;
    if (::io_uring_sq_ready(&ring_) == 0) return;
    if (answer < 0 && !is_not_now(answer)) return die();
    if (++refusals_ >= kMostRefusals) die();
  }

  bool is_own() const { return identity_.is_of(ring_.ring_fd); }

  // The kernel will never accept the entries that it hasn't accepted by now.
  void die() {
    if (std::exchange(is_dead_, true)) return;
    for (unsigned left = ::io_uring_sq_ready(&ring_); left > 0; --left) {
      const unsigned at = (ring_.sq.sqe_tail - left) & ring_.sq.ring_mask;
      if (RingSlot* slot = slot_of(ring_.sq.sqes[at].user_data)) give_up(*slot);
    }
    while (!waiting_.empty()) hand_over(waiting_.pop());
  }

  // The kernel no longer uses the read, so a thread can do it.
  void give_up(RingSlot& slot) {
    IoRead& read = free(slot);
    if (!is_closing_) hand_over(read);
  }

  // Submits the wait for wake().
  void await_event() {
    if (!event_->is_own()) return die();
    io_uring_sqe* entry = new_entry();
    awaits_event_ = entry != nullptr;
    if (entry == nullptr) return;
    ::io_uring_prep_poll_add(entry, static_cast<int>(event_->get()), POLLIN);
    ::io_uring_sqe_set_data(entry, &event_);
    enter();
  }

  void collect(uint32_t timeout_ms) {
    // Entries that the kernel had no memory for are submitted again.
    if (!is_dead_ && ::io_uring_sq_ready(&ring_) > 0) {
      enter();
      if (::io_uring_sq_ready(&ring_) > 0) timeout_ms = std::min(timeout_ms, kPauseMs);
    }
    if (timeout_ms > 0 && done_.empty() && ::io_uring_cq_ready(&ring_) == 0) rest(timeout_ms);
    take_answers();
  }

  // Waits for an answer, or for wake().
  void rest(uint32_t timeout_ms) {
    if (in_flight_ > 0 && !is_dead_) {
      if (!awaits_event_) await_event();
      if (!is_dead_) rest_in_ring(timeout_ms);
    } else {
      // If the ring is closed while nothing is in flight, a thread that waits on it can't be woken.
      // Completions of a dead ring must be polled.
      if (in_flight_ > 0) timeout_ms = std::min(timeout_ms, kPauseMs);
      woken_.wait_past(seen_, deadline_of(timeout_ms));
    }
    seen_ = woken_.count();
  }

  void rest_in_ring(uint32_t timeout_ms) {
    io_uring_cqe* unused = nullptr;
    // An unlimited wait lasts 49 days here, which is UINT32_MAX ms.
    __kernel_timespec most = {timeout_ms / 1000, (timeout_ms % 1000) * 1'000'000LL};
    int answer = 0;
    waits_in_ring_.store(true);
    // A thread that called wake() earlier may not have seen that this one waits.
    if (woken_.count() == seen_)
      answer = is_own() ? ::io_uring_wait_cqe_timeout(&ring_, &unused, &most) : -EBADF;
    waits_in_ring_.store(false);
    if (answer < 0 && !is_not_now(answer)) die();
  }

  // Returns null if the answer isn't about a read.
  RingSlot* slot_of(uint64_t user_data) {
    const bool is_one = user_data - number_of(slots_.data()) < slots_.size() * sizeof(RingSlot);
    return is_one ? reinterpret_cast<RingSlot*>(static_cast<uintptr_t>(user_data)) : nullptr;
  }
  static uint64_t number_of(const void* about) { return reinterpret_cast<uintptr_t>(about); }

  // Needs only memory, so it works as long as the ring is mapped.
  bool pop_answer(io_uring_cqe& into) {
    unsigned head = 0;
    const io_uring_cqe* answer = nullptr;
    io_uring_for_each_cqe(&ring_, head, answer) {
      into.user_data = answer->user_data;
      into.res = answer->res;
      ::io_uring_cq_advance(&ring_, 1);
      return true;
    }
    return false;
  }

  void take_answers() {
    io_uring_cqe answer = {};
    while (pop_answer(answer)) {
      if (answer.user_data == number_of(&event_)) {
        awaits_event_ = false;
        event_->clear();
      } else if (RingSlot* slot = slot_of(answer.user_data)) {
        take(*slot, answer.res);
      }
    }
  }

  void take(RingSlot& slot, int result) {
    IoRead& read = *slot.read;
    if (result > 0) read.done_bytes += static_cast<uint64_t>(result);
    const bool lacks_more = read.done_bytes < wanted_bytes(read) && !is_closing_;
    // ECANCELED means that the submitting thread has ended.
    const bool comes_again = result > 0 || result == -EINTR || result == -ECANCELED;
    if (lacks_more && comes_again && !is_dead_) return ask(slot);
    // The read would have to wait for the device, which threads can do.
    if (lacks_more && (comes_again || result == -EAGAIN))
      give_up(slot);
    else
      end(slot, result < 0 ? -result : 0);
    if (!waiting_.empty()) start(waiting_.pop());
  }

  // Ends the read with the bytes read so far. If `os_error` is 0, the file has ended.
  void end(RingSlot& slot, int os_error) {
    IoRead& read = free(slot);
    const uint64_t missing = wanted_bytes(read) - read.done_bytes;
    if (missing > 0)
      read.failure = failure_of([&]() -> Result<void> {
        return std::unexpected(
            read_error(*read.file, read.offset_bytes + read.done_bytes, missing, os_error));
      });
    done_.push(read);
  }

  IoRead& free(RingSlot& slot) {
    free_slots_.push_back(static_cast<size_t>(&slot - slots_.data()));
    --in_flight_;
    return *std::exchange(slot.read, nullptr);
  }

  static uint64_t wanted_bytes(const IoRead& read) {
    uint64_t bytes = 0;
    for (const std::span<std::byte> piece : read.pieces) bytes += piece.size();
    return bytes;
  }

  io_uring ring_ = {};
  DescriptorIdentity identity_;  // the ring's identity
  const bool has_worker_threads_;
  bool has_ring_ = false;
  bool is_dead_ = false;
  bool is_closing_ = false;
  bool awaits_event_ = false;
  uint32_t refusals_ = 0;
  size_t in_flight_ = 0;
  std::vector<RingSlot> slots_;
  std::vector<size_t> free_slots_;
  IoRow waiting_;
  IoRow done_;
  Event woken_;
  uint64_t seen_ = 0;  // number of the event's raises that reap() has seen
  std::atomic<bool> waits_in_ring_ = false;
  std::unique_ptr<WaitHandle> event_;  // ends the wait in rest()
  // Without threads, this is an engine that reads in reap().
  std::unique_ptr<IoEngine> threads_;
  size_t handed_over_ = 0;  // reads passed to threads_ and not reaped
};

}  // namespace

std::unique_ptr<IoEngine> make_system_engine(uint32_t depth, bool has_threads) {
  return UringEngine::create(depth, has_threads);
}

}  // namespace seekless::runtime

#endif
