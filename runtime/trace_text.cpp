#include "runtime/trace_text.h"

#include <array>
#include <charconv>

namespace seekless::runtime {

// Makes room for a line with strings of this many bytes.
void TraceText::make_room(size_t string_bytes) {
  constexpr size_t kNumbersBytes = 256;
  const size_t needed = text_.size() + 2 * string_bytes + kNumbersBytes;
  if (needed > text_.capacity()) text_.reserve(2 * needed);
}

void TraceText::add_number(std::string_view key, int64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  if (text_.back() != '{') text_ += ',';
  text_ += '"';
  text_ += key;
  text_ += "\":";
  text_.append(digits.data(), end);
}

// Needs no escapes for control characters, because paths and names of scenarios contain none.
void TraceText::add_string(std::string_view key, std::string_view value) {
  if (text_.back() != '{') text_ += ',';
  text_ += '"';
  text_ += key;
  text_ += "\":\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
}

void TraceText::begin_line(int64_t start_us) {
  text_ += '{';
  if (start_us != previous_end_us_) add_number("gap", start_us - previous_end_us_);
}

void TraceText::begin(std::string_view scenario, uint64_t began_us) {
  make_room(scenario.size());
  text_ += R"({"seekless":"trace","version":1)";
  if (!scenario.empty()) add_string("scenario", scenario);
  add_string("dialect", "runtime");
  add_number("began", static_cast<int64_t>(began_us));
  text_ += "}\n";
}

uint32_t TraceText::add_path(std::string_view path) {
  make_room(path.size());
  next_offsets_bytes_.push_back(0);
  text_ += '{';
  add_string("path", path);
  text_ += "}\n";
  path_ = static_cast<uint32_t>(next_offsets_bytes_.size() - 1);
  return path_;
}

void TraceText::add(const RecordedEvent& event, uint32_t path, int64_t zero_ns) {
  const int64_t start_us = (event.start_ns - zero_ns) / 1000;
  const int64_t end_us = (event.start_ns - zero_ns + event.duration_ns) / 1000;
  make_room(0);
  begin_line(start_us);
  if (event.thread != thread_) add_number("thread", event.thread);
  if (path != path_) add_number("file", path);
  thread_ = event.thread;
  path_ = path;
  uint64_t& next_offset_bytes = next_offsets_bytes_[path];
  if (event.kind == RecordedEvent::Kind::open) {
    text_ += text_.back() == '{' ? "\"open\":true" : ",\"open\":true";
    next_offset_bytes = 0;
  } else {
    if (event.offset_bytes != next_offset_bytes)
      add_number("at", static_cast<int64_t>(event.offset_bytes));
    add_number("read", static_cast<int64_t>(event.length_bytes));
    next_offset_bytes = event.offset_bytes + event.length_bytes;
  }
  add_number("took", end_us - start_us);
  text_ += "}\n";
  previous_end_us_ = end_us;
}

void TraceText::add_mark(std::string_view scenario, bool begins, int64_t time_us) {
  make_room(scenario.size());
  begin_line(time_us);
  add_string(begins ? "begins" : "ends", scenario);
  text_ += "}\n";
  previous_end_us_ = time_us;
}

}  // namespace seekless::runtime
