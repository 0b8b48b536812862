// Records what the running game reads: events go through a ring to a thread that writes them as a
// trace (recorded_trace.h) or as an upload for a fleet (recorded_upload.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/error.h"
#include "runtime/event_ring.h"
#include "runtime/memory.h"
#include "runtime/readers.h"

namespace seekless::runtime {

// Returns the time on the clock that all recorded times use.
inline int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The format of a recording. Only the writing thread uses it.
class RecordedForm {
 public:
  // Number of bytes to write at a time.
  static constexpr size_t kWriteBytes = size_t{64} << 10;

  RecordedForm() = default;
  RecordedForm(const RecordedForm&) = delete;
  RecordedForm& operator=(const RecordedForm&) = delete;
  virtual ~RecordedForm() = default;

  // Fails if the event's asset can't be named.
  virtual Result<void> add(const RecordedEvent& event) = 0;
  // An empty `scenario` means that the scenario ends.
  virtual Result<void> mark(const std::string& scenario, int64_t time_ns) = 0;
  // Returns the number of bytes ready to be written.
  virtual size_t unwritten_bytes() const = 0;
  virtual Result<void> write(bool is_last) = 0;
};

class Recorder {
 public:
  Recorder(std::unique_ptr<RecordedForm>&& form, uint64_t ring_bytes, const Memory& memory);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Any thread may call it. The event counts as lost if the ring is full.
  void note(const RecordedEvent& event);
  // An empty `scenario` means that the scenario ends. Waits while the ring is full.
  void mark(const std::string& scenario);
  // Waits until every event noted before has been named.
  void drain() const;
  // Ends the file. Call it once, and don't call note() afterwards. Returns the first error that
  // occurred.
  Result<void> finish();
  uint64_t lost_events() const { return lost_events_.load(); }

 private:
  void write_down() noexcept;
  void take(const RecordedEvent& event);
  Result<void> take_mark(const RecordedEvent& event);
  void write_out(bool is_last);

  const std::unique_ptr<RecordedForm> form_;
  EventRing ring_;
  std::atomic<uint64_t> lost_events_ = 0;
  std::atomic<uint64_t> taken_events_ = 0;  // events removed from the ring and named

  std::mutex marking_;  // a lock is cheap enough, because marks are few
  std::vector<std::string> marks_;

  // Only the writing thread uses these two.
  uint64_t unwritten_events_ = 0;
  Result<void> written_;  // the first error, if any

  std::atomic<bool> ends_ = false;
  std::jthread writer_;
};

// Holds a context's recorder. Without a recorder, noting costs one load.
class Recording {
 public:
  bool is_on() const { return recorder_.load(std::memory_order_relaxed) != nullptr; }

  // Notes that a whole asset or a range of it was delivered to the game. Call it after reading.
  void note_read(skl_asset asset, uint64_t offset_bytes, uint64_t length_bytes, int64_t start_ns,
                 int64_t duration_ns) const {
    if (is_on()) note({asset, offset_bytes, length_bytes, start_ns, duration_ns});
  }
  void note_find(skl_asset asset) const {
    if (is_on()) note({asset, 0, 0, now_ns(), 0, 0, RecordedEvent::Kind::open});
  }

  // Returns false if there is one already.
  bool start(std::unique_ptr<Recorder> recorder);
  // Errors: INVALID if there is no recorder.
  Result<void> mark(const std::string& scenario) const;
  Result<uint64_t> stop();
  // Names the assets read from a mount before the mount is gone.
  void drain() const;

  ~Recording() {
    if (is_on()) (void)stop();
  }

 private:
  void note(RecordedEvent event) const;

  Readers readers_;
  std::mutex changing_;
  std::atomic<Recorder*> recorder_ = nullptr;  // owned
  // Freed when no thread is in note() any longer. It is allocated in advance, so that stopping
  // needs no memory.
  std::unique_ptr<Readers::Retired> after_all_notes_;
};

}  // namespace seekless::runtime
