// An engine on Windows' completion ports. It reads without one thread per read and without the
// system's cache, so a sweep doesn't copy its bytes twice, and doesn't evict other files' pages. A
// few threads do all other reads (requests, prefetches, unaligned reads, files without a
// descriptor) through the cache. They also repeat an unbuffered read that is refused, and report
// its error.
#include <algorithm>
#include <array>
#include <cassert>
#include <exception>
#include <vector>

#include <windows.h>

#include "runtime/file_io_windows.h"
#include "runtime/io_engine.h"

namespace seekless::runtime {
namespace {

constexpr uint32_t kMostThreads = 4;
// Usual size of a read; longer ones need more memory.
constexpr size_t kUsualBytes = size_t{2} << 20;

// A read in flight, with the list of pages that Windows fills.
struct PortSlot {
  OVERLAPPED place = {};  // must be first, because a completion has its address
  HANDLE file = nullptr;
  IoRead* read = nullptr;
  std::vector<FILE_SEGMENT_ELEMENT> pages;
};

uint64_t wanted_bytes(const IoRead& read) {
  uint64_t bytes = 0;
  for (const std::span<std::byte> piece : read.pieces) bytes += piece.size();
  return bytes;
}

class PortsEngine final : public IoEngine {
 public:
  static std::unique_ptr<PortsEngine> create(uint32_t depth) {
    Handle port(::CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1));
    if (!port) return nullptr;
    return std::unique_ptr<PortsEngine>(new PortsEngine(std::move(port), depth));
  }

  ~PortsEngine() override {
    threads_.reset();
    waiting_.clear();
    is_closing_ = true;
    while (in_flight_ > 0) collect(kForEver);
  }

  uint32_t depth() const override { return static_cast<uint32_t>(slots_.size()); }

  void submit(IoRead& read) override {
    read.done_bytes = 0;
    read.has_waited = false;
    read.failure.reset();
    if (handle_for(read) == nullptr) {
      hand_over(read);
    } else if (!free_slots_.empty()) {
      start(read);
    } else {
      waiting_.push(read);
    }
  }

  size_t reap(std::span<IoRead*> done, uint32_t timeout_ms) override {
    collect(done_.empty() ? timeout_ms : 0);
    const size_t count = done_.pop_to(done);
    if (threads_ == nullptr) return count;
    return count + threads_->reap(done.subspan(count), 0);
  }

  void wake() override { ::PostQueuedCompletionStatus(port_.get(), 0, 0, nullptr); }

 private:
  PortsEngine(Handle port, uint32_t depth) : port_(std::move(port)), slots_(depth) {
    LARGE_INTEGER now = {};
    ::QueryPerformanceCounter(&now);
    id_ = static_cast<uint64_t>(now.QuadPart);
    for (size_t i = depth; i-- > 0;) {
      slots_[i].pages.reserve(kUsualBytes / kUnbufferedBytes + 1);
      free_slots_.push_back(i);
    }
  }

  // Returns null if the read must go through the cache.
  HANDLE handle_for(const IoRead& read) const {
    if (read.file->descriptor() == kNoDescriptor) return nullptr;
    auto& file = *reinterpret_cast<UnbufferedFile*>(read.file->descriptor());
    if (!read.is_passing) file.note_cached();
    if (file.is_cached() || !fits_unbuffered(read.offset_bytes, read.pieces)) return nullptr;
    return file.handle_for(port_.get(), id_);
  }

  void finish(IoRead& read, std::optional<Error> failure) {
    read.failure = std::move(failure);
    done_.push(read);
  }

  // If the system can't start a thread, the scheduler's own thread reads it.
  void hand_over(IoRead& read) noexcept {
    try {
      // A disk gets one thread, because its head serves one read at a time.
      const uint32_t threads = std::clamp(depth() / 2, 1U, kMostThreads);
      if (threads_ == nullptr) threads_ = make_threads_engine(threads, this);
      threads_->submit(read);
    } catch (const std::exception&) {
      read_now(read);
      done_.push(read);
    }
  }

  void start(IoRead& read) noexcept {
    PortSlot& slot = slots_[free_slots_.back()];
    try {
      slot.pages.clear();
      for (std::span<std::byte> piece : read.pieces)
        for (; !piece.empty(); piece = piece.subspan(kUnbufferedBytes))
          slot.pages.push_back({.Buffer = piece.data()});
      slot.pages.push_back({.Buffer = nullptr});
    } catch (const std::exception&) {
      return hand_over(read);
    }
    if (!ask(slot, read)) return hand_over(read);
    slot.read = &read;
    read.has_waited = true;
    free_slots_.pop_back();
    ++in_flight_;
  }

  // Every accepted read completes on the port, even one that is done at once.
  bool ask(PortSlot& slot, const IoRead& read) {
    const uint64_t bytes = wanted_bytes(read);
    // Windows refuses unaligned reads, but Wine doesn't, so this checks them.
    assert(fits_unbuffered(read.offset_bytes, read.pieces));
    if (bytes > MAXDWORD) return false;
    slot.place = {};
    slot.place.Offset = static_cast<DWORD>(read.offset_bytes);
    slot.place.OffsetHigh = static_cast<DWORD>(read.offset_bytes >> 32);
    // The handle is null if another read of the file has used the cache meanwhile.
    slot.file = handle_for(read);
    const BOOL is_here = ::ReadFileScatter(slot.file, slot.pages.data(), static_cast<DWORD>(bytes),
                                           nullptr, &slot.place);
    return is_here != 0 || ::GetLastError() == ERROR_IO_PENDING;
  }

  void collect(uint32_t timeout_ms) {
    static_assert(kForEver == INFINITE);
    std::array<OVERLAPPED_ENTRY, 64> entries;
    ULONG count = 0;
    if (::GetQueuedCompletionStatusEx(port_.get(), entries.data(), entries.size(), &count,
                                      timeout_ms, FALSE) == 0)
      return;
    for (const OVERLAPPED_ENTRY& entry : std::span(entries).first(count))
      if (entry.lpOverlapped != nullptr)  // null means wake()
        take(*reinterpret_cast<PortSlot*>(entry.lpOverlapped), entry.dwNumberOfBytesTransferred);
  }

  void take(PortSlot& slot, uint64_t got_bytes) {
    IoRead& read = *slot.read;
    slot.read = nullptr;
    free_slots_.push_back(static_cast<size_t>(&slot - slots_.data()));
    --in_flight_;
    // Even for a failed read, Windows may report some bytes.
    const bool is_whole = slot.place.Internal == 0 && got_bytes == wanted_bytes(read);
    if (is_whole) {
      finish(read, std::nullopt);
    } else if (is_closing_) {
      finish(read, Error{SKL_CANCELLED, {}});
    } else {
      read.has_waited = false;
      hand_over(read);
    }
    if (!waiting_.empty()) start(waiting_.pop());
  }

  const Handle port_;
  uint64_t id_ = 0;  // identifies this engine in UnbufferedFile
  bool is_closing_ = false;
  size_t in_flight_ = 0;
  std::vector<PortSlot> slots_;
  std::vector<size_t> free_slots_;
  IoRow waiting_;
  IoRow done_;
  std::unique_ptr<IoEngine> threads_;
};

}  // namespace

// Windows has no hints, so a disk gets two reads in flight and always has a next one.
SystemEngine system_engine() {
  return {.backend = SKL_BACKEND_PORTS, .disk_depth = 2};
}

std::unique_ptr<IoEngine> make_system_engine(uint32_t depth, bool has_threads) {
  return has_threads ? PortsEngine::create(depth) : nullptr;
}

}  // namespace seekless::runtime
