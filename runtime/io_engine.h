// Many reads at once: submit ranges of files with the memory they go to, and reap what is done.
// The one seam between the scheduler and what the operating system offers for it: threads that read
// by File, or the system's own way: io_uring, Windows' completion ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "runtime/error.h"
#include "runtime/file_io.h"

namespace seekless::runtime {

// One range of a file. It, its file and its memory stay until it is reaped.
struct IoRead {
  const File* file = nullptr;
  uint64_t offset_bytes = 0;
  std::span<const std::span<std::byte>> pieces;  // filled one after the other; none is empty
  bool is_passing = false;                       // it needn't stay in the system's cache
  std::optional<Error> failure;                  // when reaped
  bool has_waited = false;  // when reaped: for the device, as far as the system says

  // The engine's own.
  uint64_t done_bytes = 0;
  IoRead* next = nullptr;
};

// Reads in a row, first in first out.
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
  // As many as there is room for.
  size_t pop_to(std::span<IoRead*> out) {
    size_t count = 0;
    while (count < out.size() && !empty()) out[count++] = &pop();
    return count;
  }

 private:
  IoRead* first_ = nullptr;
  IoRead** end_ = &first_;
};

// What a thread of an engine does for each.
inline void read_now(IoRead& read) noexcept {
  read.failure = failure_of([&] { return read.file->read_pieces(read.offset_bytes, read.pieces); });
}

// All but wake() is for one thread.
class IoEngine {
 public:
  // Drops reads that haven't begun and waits for the others. No memory is written to after that.
  virtual ~IoEngine() = default;
  // How many reads are under way at once.
  virtual uint32_t depth() const = 0;
  virtual void submit(IoRead& read) = 0;
  // Waits until a read is done or wake() was called since the last reap, for at most `timeout_ms`
  // (kForEver: without end). Gives what is done, up to `done.size()`.
  virtual size_t reap(std::span<IoRead*> done, uint32_t timeout_ms) = 0;
  // Makes the waiting reap, or else the next one, return. Any thread.
  virtual void wake() = 0;

  static constexpr uint32_t kForEver = UINT32_MAX;
};

// `threads` is 1 or more. It works with fewer if the system gives no more; if there is none at all,
// this throws NoThread or std::bad_alloc. `told`, if there is one, is woken whenever a read is
// done.
std::unique_ptr<IoEngine> make_threads_engine(uint32_t threads, IoEngine* told = nullptr);

// Without threads: reap() reads one range itself.
std::unique_ptr<IoEngine> make_inline_engine();

// The system's own way. Each system has a file for it beside io_engine_uring.cpp.
struct SystemEngine {
  skl_backend backend = SKL_BACKEND_THREADS;
  // How many reads in flight suit a device whose head has to move; 0: threads suit it better.
  uint32_t disk_depth = 0;
};
SystemEngine system_engine();

// For up to `depth` reads in flight. Null where the library was built without it, or the system
// doesn't allow it, or it can't do without threads and `has_threads` is false.
std::unique_ptr<IoEngine> make_system_engine(uint32_t depth, bool has_threads = true);

}  // namespace seekless::runtime
