// Runs many reads at once: submit file ranges with their memory, and reap finished reads. It is the
// interface between the scheduler and the ways to read: threads that call File, or the system's own
// way (io_uring, Windows' completion ports).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "runtime/error.h"
#include "runtime/file_io.h"

namespace seekless::runtime {

// One range of a file. The read, its file and its memory must exist until it is reaped.
struct IoRead {
  const File* file = nullptr;
  uint64_t offset_bytes = 0;
  std::span<const std::span<std::byte>> pieces;  // filled one after the other; none is empty
  bool is_passing = false;                       // the bytes needn't stay in the page cache
  std::optional<Error> failure;                  // set when reaped
  // Set when reaped: true if the read has waited for the device, as far as the system says.
  bool has_waited = false;

  // The remaining members are only for the engine.
  uint64_t done_bytes = 0;
  IoRead* next = nullptr;
};

// A list of reads, first in, first out.
class IoRow {
 public:
  bool empty() const { return first_ == nullptr; }
  void clear() {
    first_ = nullptr;
    end_ = &first_;
  }
  void push(IoRead& read) {
    read.next = nullptr;
    *end_ = &read;
    end_ = &read.next;
  }
  IoRead& pop() {
    IoRead& read = *first_;
    first_ = read.next;
    if (first_ == nullptr) end_ = &first_;
    return read;
  }
  // Moves reads to `out` until it is full, and returns how many.
  size_t pop_to(std::span<IoRead*> out) {
    size_t count = 0;
    while (count < out.size() && !empty()) out[count++] = &pop();
    return count;
  }

 private:
  IoRead* first_ = nullptr;
  IoRead** end_ = &first_;
};

// Reads one range on this thread, as an engine's threads do.
inline void read_now(IoRead& read) noexcept {
  read.failure = failure_of([&] { return read.file->read_pieces(read.offset_bytes, read.pieces); });
}

// Only one thread may use it, except wake().
class IoEngine {
 public:
  // Drops reads that haven't begun and waits for the others. After that, no memory is written to.
  virtual ~IoEngine() = default;
  // Returns how many reads run at once.
  virtual uint32_t depth() const = 0;
  virtual void submit(IoRead& read) = 0;
  // Waits until a read is done or wake() was called since the last reap, for at most `timeout_ms`
  // (kForEver: no limit). Stores finished reads in `done`.
  virtual size_t reap(std::span<IoRead*> done, uint32_t timeout_ms) = 0;
  // Makes the current reap return, or else the next one. Any thread may call it.
  virtual void wake() = 0;

  static constexpr uint32_t kForEver = UINT32_MAX;
};

// `threads` must be 1 or more. If the system starts fewer, the engine works with these; if it
// starts none, this throws NoThread or std::bad_alloc. `told`, if given, is woken whenever a read
// is done.
std::unique_ptr<IoEngine> make_threads_engine(uint32_t threads, IoEngine* told = nullptr);

// Makes an engine without threads: reap() reads one range itself.
std::unique_ptr<IoEngine> make_inline_engine();

// The system's own way to read. Each system has its own file beside io_engine_uring.cpp.
struct SystemEngine {
  skl_backend backend = SKL_BACKEND_THREADS;
  // Best number of reads in flight for a rotational device; 0 means that threads are better.
  uint32_t disk_depth = 0;
};
SystemEngine system_engine();

// Makes an engine for up to `depth` reads in flight. Returns null if the library was built without
// it, if the system doesn't allow it, or if it needs threads and `has_threads` is false.
std::unique_ptr<IoEngine> make_system_engine(uint32_t depth, bool has_threads = true);

}  // namespace seekless::runtime
