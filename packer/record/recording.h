// Writes a trace while it is recorded. The recorder adds events; a separate thread compresses them
// and writes them to the file several times a second, so that they are on disk whatever happens
// next.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "packer/host/files.h"
#include "packer/record/event_taker.h"
#include "packer/trace/dialect.h"
#include "packer/trace/event_window.h"
#include "packer/trace/jsonl.h"
#include "packer/trace/lz4_frame.h"
#include "packer/trace/path_filter.h"

namespace seekless {

// Describes the recorded program and the machine's system; leaves out the machine's name, because
// traces are shared.
TraceHeader header_of(const std::string& scenario, const std::vector<std::string>& command);

class Recording final : public EventTaker {
 public:
  // `options` filters paths, as on import. The text is compressed unless the file's name ends in
  // ".jsonl". Nothing is written before begin().
  static Result<std::unique_ptr<Recording>> create(const std::string& path, ImportOptions options);
  ~Recording() override;

  // Begins the trace and its clock. `header` may lack time and dialect.
  Result<void> begin(TraceHeader header);
  int64_t now_ns() const override;                // time since begin()
  int64_t began_ns() const { return began_ns_; }  // on the clock std::chrono::steady_clock

  std::unique_lock<std::mutex> lock() override { return std::unique_lock(mutex_); }
  // Events pass through the window, then the filter, then the lines.
  TraceSink& sink() override { return filter_; }
  EventWindow& window() override { return window_; }

  // Waits if the file can't keep up.
  void give_way() override;
  // Begins or ends a scenario now. Any thread may call it. Only the current scenario can be ended.
  Result<void> mark(const std::string& scenario, bool begins);

  // Writes the rest, and ends the trace. Call it once. Nothing may be added afterwards.
  Result<void> finish();
  // Returns true once finish() has begun; hold the lock.
  bool is_over() const { return is_over_; }
  // Returns true if writing failed; events are then dropped.
  bool has_failed() const override { return has_failed_.load(std::memory_order_relaxed); }

  // Holds figures of the recording so far.
  struct Figures {
    uint64_t events = 0;
    uint64_t read_bytes = 0;
    double seconds = 0;
    std::string scenario;
    uint64_t marks = 0;
  };
  Figures figures();
  // Valid after finish().
  const ImportReport& report() const { return report_; }
  // Returns the scenarios that a mark began and in which nothing was read.
  const std::vector<std::string>& unread_marks() const { return unread_marks_; }
  const std::string& path() const { return file_.path(); }

 private:
  Recording(LiveFile file, std::optional<Lz4Frame> frame, ImportOptions options)
      : file_(std::move(file)),
        frame_(std::move(frame)),
        options_(std::move(options)),
        filter_(options_, encoder_, report_),
        window_(filter_) {}

  void write_on(const std::stop_token& stop);
  Result<void> write_out(const std::string& text);
  void note_failure(const Error& error);
  void note_if_unread();

  LiveFile file_;
  std::optional<Lz4Frame> frame_;
  ImportOptions options_;
  ImportReport report_;
  int64_t began_ns_ = 0;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  TraceEncoder encoder_;
  PathFilter filter_;
  EventWindow window_;
  std::string scenario_;  // the current scenario
  uint64_t marks_ = 0;
  std::optional<std::string> marked_;  // the scenario that the last mark began
  uint64_t reads_before_mark_ = 0;
  std::vector<std::string> unread_marks_;
  std::optional<Error> failure_;
  bool is_over_ = false;
  std::atomic<bool> has_failed_ = false;
  std::jthread writing_;
};

}  // namespace seekless
