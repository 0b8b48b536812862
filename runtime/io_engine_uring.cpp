// Linux's io_uring: reads without a thread for each. Files that have no descriptor (a test's, the
// simulator's) and what has to be decoded go to a few threads.
#include "runtime/io_engine.h"

namespace seekless::runtime {

// A head serves one read at a time, and a thread's hints keep it busy.
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
#include <cerrno>
#include <exception>
#include <vector>

#include <liburing.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

namespace seekless::runtime {
namespace {

constexpr size_t kMostPiecesOfACall =
    64;                           // of one call; what is left follows as after a short read
constexpr uint32_t kPauseMs = 5;  // before the kernel is asked again to take what it hadn't
constexpr uint32_t kMostThreads = 4;

// A read in flight, with the list of memory that the kernel looks at.
struct RingSlot {
  IoRead* read = nullptr;
  std::array<iovec, kMostPiecesOfACall> row;
};

class UringEngine final : public IoEngine {
 public:
  static std::unique_ptr<UringEngine> create(uint32_t depth, bool has_threads) {
    std::unique_ptr<UringEngine> engine(new UringEngine(depth, has_threads));
    // Room for a cancellation of each read, and for the event.
    if (::io_uring_queue_init(2 * depth + 2, &engine->ring_, 0) != 0) return nullptr;
    engine->has_ring_ = true;
    engine->event_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (engine->event_ < 0) return nullptr;
    engine->await_event();
    return engine;
  }

  ~UringEngine() override {
    threads_.reset();
    waiting_.clear();
    is_closing_ = true;
    while (in_flight_ > 0) collect(kForEver);
    if (has_ring_) ::io_uring_queue_exit(&ring_);
    if (event_ >= 0) ::close(event_);
  }

  uint32_t depth() const override { return static_cast<uint32_t>(slots_.size()); }

  void submit(IoRead& read) override {
    read.done_bytes = 0;
    read.has_waited = false;
    read.failure.reset();
    if (read.file->descriptor() == kNoDescriptor) {
      hand_over(read);
    } else if (!free_slots_.empty()) {
      start(read);
    } else {
      waiting_.push(read);
    }
  }

  void cancel(IoRead& read) override {
    if (read.file->descriptor() == kNoDescriptor) {
      if (threads_ != nullptr) threads_->cancel(read);
      return;
    }
    if (waiting_.take_out(read)) {
      finish(read, Error{SKL_CANCELLED, {}});
      return;
    }
    if (read.slot >= slots_.size() || slots_[read.slot].read != &read) return;
    io_uring_sqe* entry = new_entry();
    if (entry == nullptr) return;  // it is only a wish
    read.is_cancelled = true;
    ::io_uring_prep_cancel(entry, &slots_[read.slot], 0);
    ::io_uring_sqe_set_data(entry, nullptr);
    ::io_uring_submit(&ring_);
  }

  size_t reap(std::span<IoRead*> done, uint32_t timeout_ms) override {
    // Without threads, what was handed over waits for this one.
    const bool has_work = !done_.empty() || (!has_threads_ && handed_over_ > 0);
    collect(has_work ? 0 : timeout_ms);
    const size_t count = done_.pop_to(done);
    if (threads_ == nullptr) return count;
    const size_t by_threads = threads_->reap(done.subspan(count), 0);
    handed_over_ -= by_threads;
    return count + by_threads;
  }

  void wake() override {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof(one));
  }

 private:
  UringEngine(uint32_t depth, bool has_threads) : has_threads_(has_threads), slots_(depth) {
    for (size_t i = depth; i-- > 0;) free_slots_.push_back(i);
  }

  void finish(IoRead& read, std::optional<Error> failure) {
    read.failure = std::move(failure);
    done_.push(read);
  }

  // If the system gives no thread, the scheduler's own thread reads it.
  void hand_over(IoRead& read) noexcept {
    try {
      if (threads_ == nullptr)
        threads_ = has_threads_ ? make_threads_engine(kMostThreads, this) : make_inline_engine();
      threads_->submit(read);
      ++handed_over_;
    } catch (const std::exception&) {
      read_now(read);
      done_.push(read);
    }
  }

  void start(IoRead& read) {
    read.slot = free_slots_.back();
    read.is_cancelled = false;
    free_slots_.pop_back();
    slots_[read.slot].read = &read;
    ++in_flight_;
    ask(slots_[read.slot]);
  }

  // Asks for what the read still lacks.
  void ask(RingSlot& slot) {
    const IoRead& read = *slot.read;
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
    io_uring_sqe* entry = new_entry();
    if (entry == nullptr) return end(slot, EAGAIN);
    ::io_uring_prep_readv(
        entry, static_cast<int>(read.file->descriptor()), slot.row.data(), count,
        read.file->descriptor_offset_bytes() + read.offset_bytes + read.done_bytes);
    ::io_uring_sqe_set_data(entry, &slot);
    ::io_uring_submit(&ring_);
    // What the system has in its cache is here already.
    slot.read->has_waited = ::io_uring_cq_ready(&ring_) == 0;
  }

  // There is room, as many entries as slots and more, unless the kernel hasn't taken earlier ones.
  // Null if it still doesn't.
  io_uring_sqe* new_entry() {
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    if (entry == nullptr && ::io_uring_submit(&ring_) > 0) entry = ::io_uring_get_sqe(&ring_);
    return entry;
  }

  // Looks for wake().
  void await_event() {
    io_uring_sqe* entry = new_entry();
    awaits_event_ = entry != nullptr;
    if (entry == nullptr) return;
    ::io_uring_prep_poll_add(entry, event_, POLLIN);
    ::io_uring_sqe_set_data(entry, &event_);
    ::io_uring_submit(&ring_);
  }

  void collect(uint32_t timeout_ms) {
    io_uring_cqe* answer = nullptr;
    if (!awaits_event_) await_event();
    // Entries that the kernel had no memory for are submitted again.
    if (::io_uring_sq_ready(&ring_) > 0 && ::io_uring_submit(&ring_) < 0)
      timeout_ms = std::min(timeout_ms, kPauseMs);
    if (timeout_ms == kForEver) {
      ::io_uring_wait_cqe(&ring_, &answer);
    } else if (timeout_ms > 0) {
      __kernel_timespec most = {timeout_ms / 1000, (timeout_ms % 1000) * 1'000'000LL};
      ::io_uring_wait_cqe_timeout(&ring_, &answer, &most);
    }
    while (::io_uring_peek_cqe(&ring_, &answer) == 0) {
      void* about = ::io_uring_cqe_get_data(answer);
      const int result = answer->res;
      ::io_uring_cqe_seen(&ring_, answer);
      if (about == &event_) {
        uint64_t count = 0;
        [[maybe_unused]] const ssize_t got = ::read(event_, &count, sizeof(count));
        await_event();
      } else if (about != nullptr) {
        take(*static_cast<RingSlot*>(about), result);
      }
    }
  }

  void take(RingSlot& slot, int result) {
    IoRead& read = *slot.read;
    const uint64_t wanted = wanted_bytes(read);
    if (result > 0) read.done_bytes += static_cast<uint64_t>(result);
    const bool again = result == -EINTR || result == -EAGAIN;
    if ((again || (result > 0 && read.done_bytes < wanted)) && !read.is_cancelled && !is_closing_) {
      ask(slot);
      return;
    }
    end(slot, result < 0 ? -result : 0);
    if (!waiting_.empty()) start(waiting_.pop());
  }

  // Of what the read has got by now. `os_error` 0: the file has ended.
  void end(RingSlot& slot, int os_error) {
    IoRead& read = *slot.read;
    slot.read = nullptr;
    free_slots_.push_back(static_cast<size_t>(&slot - slots_.data()));
    --in_flight_;
    const uint64_t missing = wanted_bytes(read) - read.done_bytes;
    if (missing == 0)
      finish(read, std::nullopt);
    else if (read.is_cancelled)
      finish(read, Error{SKL_CANCELLED, {}});
    else
      finish(read, failure_of([&]() -> Result<void> {
               return std::unexpected(
                   read_error(*read.file, read.offset_bytes + read.done_bytes, missing, os_error));
             }));
  }

  static uint64_t wanted_bytes(const IoRead& read) {
    uint64_t bytes = 0;
    for (const std::span<std::byte> piece : read.pieces) bytes += piece.size();
    return bytes;
  }

  io_uring ring_ = {};
  const bool has_threads_;
  bool has_ring_ = false;
  bool is_closing_ = false;
  bool awaits_event_ = false;
  int event_ = -1;
  size_t in_flight_ = 0;
  std::vector<RingSlot> slots_;
  std::vector<size_t> free_slots_;
  IoRow waiting_;
  IoRow done_;
  std::unique_ptr<IoEngine> threads_;  // or what reads in reap()
  size_t handed_over_ = 0;             // to those, and not reaped
};

}  // namespace

std::unique_ptr<IoEngine> make_system_engine(uint32_t depth, bool has_threads) {
  return UringEngine::create(depth, has_threads);
}

}  // namespace seekless::runtime

#endif
