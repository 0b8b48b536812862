// Writes the lines of a trace (schemas/trace.schema.json) from the reader's own events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/event_ring.h"

namespace seekless::runtime {

// If there is no memory for a line, std::bad_alloc is thrown and nothing has changed.
class TraceText {
 public:
  // The lines so far. The caller may remove them.
  std::string& text() { return text_; }
  const std::string& text() const { return text_; }

  // `began_us` is the wall clock at time 0, since 1970. An empty `scenario` means none.
  void begin(std::string_view scenario, uint64_t began_us);
  // Returns the path's number. Paths are numbered from 0 in the order they are added.
  uint32_t add_path(std::string_view path);
  // Times are written relative to `zero_ns`.
  void add(const RecordedEvent& event, uint32_t path, int64_t zero_ns);
  void add_mark(std::string_view scenario, bool begins, int64_t time_us);

 private:
  void make_room(size_t string_bytes);
  void begin_line(int64_t start_us);
  void add_number(std::string_view key, int64_t value);
  void add_string(std::string_view key, std::string_view value);

  std::string text_;
  // For each path, where a read without an offset begins.
  std::vector<uint64_t> next_offsets_bytes_;
  int64_t previous_end_us_ = 0;
  uint32_t path_ = 0;
  uint32_t thread_ = 0;
};

}  // namespace seekless::runtime
