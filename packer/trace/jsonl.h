// Reads and writes the project's own trace format: JSON Lines, described by
// schemas/trace.schema.json. People and scripts can read it, and LZ4 makes it small: a line leaves
// out the values it shares with the previous line, and reads that continue without a pause become
// one line.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/host/files.h"
#include "packer/trace/dialect.h"
#include "packer/trace/event.h"

namespace seekless {

inline constexpr int kTraceVersion = 1;

// Reads of one thread become one line, a burst, if each takes less than this and begins less than
// this after the previous one. That is far below a seek, and far above the cost of a cached read
// under strace (about 50 us).
inline constexpr int64_t kBurstPauseUs = 200;
inline constexpr size_t kBurstReads = 1000;  // maximum number of reads in one line that we write

// Turns a trace into lines. Times are rounded down to microseconds; the same trace gives the same
// bytes. Fails if an event exceeds the limits of event.h or names a path that wasn't added.
class TraceEncoder final : public TraceSink {
 public:
  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  // Writes the reads that are held back for a burst. Call it once, at the end.
  void finish() { flush_burst(); }

  // Returns the lines so far; the caller may clear them.
  std::string& text() { return text_; }

 private:
  struct Burst {
    Event first;
    std::vector<uint64_t> lengths_bytes;
    uint64_t end_bytes = 0;  // offset in the file at which the next read must begin
    int64_t start_us = 0;
    int64_t last_start_us = 0;
    int64_t end_us = 0;
    int64_t took_us = 0;  // sum of the durations of all reads of the burst
  };

  bool extends_burst(const Event& event) const;
  void flush_burst();
  void begin_line(int64_t start_us);
  void add_origin(const Event& event);
  void add_place(const Event& event);
  void end_line(int64_t end_us);

  std::string text_;
  Burst burst_;
  std::vector<uint64_t> next_offsets_;  // indexed by path: where a read without an offset begins
  int64_t previous_end_us_ = 0;
  uint32_t path_ = 0;
  uint32_t process_ = 0;
  uint32_t thread_ = 0;
};

// Returns true if a trace with that name is to be compressed, and false if its name says that it is
// plain.
bool is_packed_trace(std::string_view path);

// Writes a trace to a file, LZ4-framed if is_packed_trace() says so. The file appears under its
// name only at finish(); a writer destroyed before that leaves no file.
class TraceWriter final : public TraceSink {
 public:
  static Result<TraceWriter> create(const std::string& path);
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;
  ~TraceWriter() override;

  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  Result<void> finish();

 private:
  struct State;
  explicit TraceWriter(std::unique_ptr<State> state);
  Result<void> write_out(Result<void> encoded);

  std::unique_ptr<State> state_;
};

}  // namespace seekless
