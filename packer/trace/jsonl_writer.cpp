// Writes the project's own trace format: its lines, and the file that holds them.
#include <algorithm>
#include <concepts>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/host/pending_file.h"
#include "packer/trace/jsonl.h"
#include "packer/trace/lz4_frame.h"
#include "packer/words/utf8.h"

namespace seekless {
namespace {

constexpr size_t kWriteBytes = size_t{256} << 10;

int64_t to_us(int64_t time_ns) {
  // Rounds down even below 0, so that the order is kept.
  return time_ns >= 0 ? time_ns / 1000 : -((-time_ns + 999) / 1000);
}

int64_t end_ns(const Event& event) {
  return event.start_ns + std::max<int64_t>(event.duration_ns, 0);
}

// With `raw`, each byte becomes the character of the same number.
void append_string(std::string& out, std::string_view text, bool raw) {
  out += '"';
  size_t plain = 0;  // the first character that isn't written yet
  for (size_t at = 0; at < text.size(); ++at) {
    const auto code = static_cast<unsigned char>(text[at]);
    const bool is_quoted = code == '"' || code == '\\';
    const bool is_number = code < 0x20 || code == 0x7f || (raw && code >= 0x80);
    if (!is_quoted && !is_number) continue;
    out += text.substr(plain, at - plain);
    if (is_number) fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
    if (is_quoted) out += '\\';
    plain = is_quoted ? at : at + 1;
  }
  out += text.substr(plain);
  out += '"';
}

// Keys come with their comma, as in `,"gap":`. The first key of a line drops it.
void append_key(std::string& out, std::string_view key) {
  if (out.back() == '{') key.remove_prefix(1);
  out += key;
}

// fmt's format strings would take a tenth of the time of an import.
void append_number(std::string& out, std::string_view key, std::integral auto value) {
  append_key(out, key);
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

std::unexpected<Error> beyond_limits(const char* what) {
  return failed({.place = "writing a trace", .found = fmt::format("an event with {}", what)});
}

bool can_be_written(const Event& event) {
  const uint64_t length = event.length_bytes == kWholeFile ? 0 : event.length_bytes;
  return event.start_ns >= -kTimeLimitNs && event.start_ns <= kTimeLimitNs &&
         event.duration_ns <= kTimeLimitNs && event.offset_bytes <= kPlaceLimitBytes &&
         length <= kPlaceLimitBytes - event.offset_bytes && event.os_error >= 0;
}

}  // namespace

Result<void> TraceEncoder::begin(const TraceHeader& header) {
  const bool raw = !is_utf8(header.scenario) || !is_utf8(header.machine) ||
                   !is_utf8(header.command) || !is_utf8(header.dialect);
  text_ += fmt::format("{{\"seekless\":\"trace\",\"version\":{}", kTraceVersion);
  auto add = [&](const char* key, const std::string& value) {
    if (value.empty()) return;
    text_ += fmt::format(",\"{}\":", key);
    append_string(text_, value, raw);
  };
  add("scenario", header.scenario);
  add("machine", header.machine);
  add("command", header.command);
  add("dialect", header.dialect);
  if (header.began_unix_ns > 0) append_number(text_, R"(,"began":)", header.began_unix_ns / 1000);
  text_ += raw ? ",\"raw\":true}\n" : "}\n";
  return {};
}

Result<void> TraceEncoder::add_path(std::string_view path) {
  flush_burst();
  const bool raw = !is_utf8(path);
  text_ += "{\"path\":";
  append_string(text_, path, raw);
  text_ += raw ? ",\"raw\":true}\n" : "}\n";
  path_ = static_cast<uint32_t>(next_offsets_.size());
  next_offsets_.push_back(0);
  return {};
}

bool TraceEncoder::extends_burst(const Event& event) const {
  const Event& first = burst_.first;
  if (burst_.lengths_bytes.empty() || burst_.lengths_bytes.size() >= kBurstReads) return false;
  if (event.path != first.path || event.thread != first.thread || event.process != first.process ||
      event.offset_bytes != burst_.end_bytes || (event.duration_ns < 0) != (first.duration_ns < 0))
    return false;
  const int64_t start_us = to_us(event.start_ns);
  return start_us >= burst_.last_start_us && to_us(end_ns(event)) >= burst_.end_us &&
         start_us - burst_.end_us < kBurstPauseUs;
}

Result<void> TraceEncoder::add_event(const Event& event) {
  if (event.path >= next_offsets_.size()) return beyond_limits("a path that wasn't added");
  if (!can_be_written(event)) return beyond_limits("a time or place beyond the limits");
  const int64_t start_us = to_us(event.start_ns);
  const int64_t end_us = to_us(end_ns(event));
  const bool may_burst = event.kind == EventKind::read && event.length_bytes != kWholeFile &&
                         end_us - start_us < kBurstPauseUs;
  if (!may_burst || !extends_burst(event)) flush_burst();
  if (may_burst) {
    if (burst_.lengths_bytes.empty()) {
      burst_.first = event;
      burst_.start_us = start_us;
      burst_.took_us = 0;
    }
    burst_.lengths_bytes.push_back(event.length_bytes);
    burst_.end_bytes = event.offset_bytes + event.length_bytes;
    burst_.last_start_us = start_us;
    burst_.end_us = end_us;
    burst_.took_us += end_us - start_us;
    return {};
  }

  begin_line(start_us);
  add_origin(event);
  if (event.kind == EventKind::open) {
    append_key(text_, R"(,"open":)");
    text_ += event.os_error == 0 ? "true" : "false";
    if (event.os_error != 0) append_number(text_, R"(,"errno":)", event.os_error);
    next_offsets_[event.path] = 0;
  } else {
    add_place(event);
    const std::string_view key = event.kind == EventKind::read ? R"(,"read":)" : R"(,"map":)";
    if (event.length_bytes == kWholeFile) {
      append_key(text_, key);
      text_ += "\"whole\"";
    } else {
      append_number(text_, key, event.length_bytes);
    }
    next_offsets_[event.path] =
        event.offset_bytes + (event.length_bytes == kWholeFile ? 0 : event.length_bytes);
  }
  if (event.duration_ns >= 0) append_number(text_, R"(,"took":)", end_us - start_us);
  end_line(end_us);
  return {};
}

void TraceEncoder::flush_burst() {
  if (burst_.lengths_bytes.empty()) return;
  const bool is_single = burst_.lengths_bytes.size() == 1;
  begin_line(burst_.start_us);
  add_origin(burst_.first);
  add_place(burst_.first);
  if (is_single) {
    append_number(text_, R"(,"read":)", burst_.lengths_bytes.front());
  } else {
    append_key(text_, R"(,"read":)");
    text_ += '[';
    for (const uint64_t length : burst_.lengths_bytes) {
      if (text_.back() != '[') text_ += ',';
      const fmt::format_int digits(length);
      text_.append(digits.data(), digits.size());
    }
    text_ += ']';
    if (burst_.end_us > burst_.start_us)
      append_number(text_, R"(,"span":)", burst_.end_us - burst_.start_us);
  }
  // With a coarse clock, a recorder's calls may seem to overlap a little.
  if (burst_.first.duration_ns >= 0)
    append_number(text_, R"(,"took":)", std::min(burst_.took_us, burst_.end_us - burst_.start_us));
  next_offsets_[burst_.first.path] = burst_.end_bytes;
  end_line(burst_.end_us);
  burst_.lengths_bytes.clear();
}

Result<void> TraceEncoder::add_mark(const Mark& mark) {
  if (mark.time_ns < -kTimeLimitNs || mark.time_ns > kTimeLimitNs)
    return beyond_limits("a mark's time beyond the limits");
  flush_burst();
  const bool raw = !is_utf8(mark.scenario);
  begin_line(to_us(mark.time_ns));
  append_key(text_, mark.begins ? R"(,"begins":)" : R"(,"ends":)");
  append_string(text_, mark.scenario, raw);
  if (raw) text_ += ",\"raw\":true";
  end_line(to_us(mark.time_ns));
  return {};
}

void TraceEncoder::begin_line(int64_t start_us) {
  text_ += '{';
  if (start_us != previous_end_us_) append_number(text_, R"(,"gap":)", start_us - previous_end_us_);
}

void TraceEncoder::add_origin(const Event& event) {
  if (event.process != process_) append_number(text_, R"(,"process":)", event.process);
  if (event.thread != thread_) append_number(text_, R"(,"thread":)", event.thread);
  if (event.path != path_) append_number(text_, R"(,"file":)", event.path);
  process_ = event.process;
  thread_ = event.thread;
  path_ = event.path;
}

void TraceEncoder::add_place(const Event& event) {
  if (event.offset_bytes != next_offsets_[event.path])
    append_number(text_, R"(,"at":)", event.offset_bytes);
}

void TraceEncoder::end_line(int64_t end_us) {
  text_ += "}\n";
  previous_end_us_ = end_us;
}

struct TraceWriter::State {
  PendingFile file;
  std::optional<Lz4Frame> frame;
  TraceEncoder encoder;

  std::string packed = {};

  Result<void> write_out() {
    if (!frame) {
      auto done = file.append(encoder.text());
      encoder.text().clear();
      return done;
    }
    auto done = frame->add(encoder.text(), packed);
    encoder.text().clear();
    return write_packed(std::move(done));
  }
  Result<void> write_packed(Result<void> done) {
    if (done) done = file.append(packed);
    packed.clear();
    return done;
  }
};

bool is_packed_trace(std::string_view path) {
  return !path.ends_with(".jsonl");
}

TraceWriter::TraceWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;
TraceWriter::~TraceWriter() = default;

Result<TraceWriter> TraceWriter::create(const std::string& path) {
  SKL_TRY(auto file, PendingFile::create(path));
  auto state = std::make_unique<State>(std::move(file));
  if (is_packed_trace(path)) {
    SKL_TRY(auto frame, Lz4Frame::create());
    state->frame.emplace(std::move(frame));
    SKL_TRY_DO(state->write_packed(state->frame->begin(state->packed)));
  }
  return TraceWriter(std::move(state));
}

Result<void> TraceWriter::write_out(Result<void> encoded) {
  if (!encoded || state_->encoder.text().size() < kWriteBytes) return encoded;
  return state_->write_out();
}

Result<void> TraceWriter::begin(const TraceHeader& header) {
  return write_out(state_->encoder.begin(header));
}

Result<void> TraceWriter::add_path(std::string_view path) {
  return write_out(state_->encoder.add_path(path));
}

Result<void> TraceWriter::add_event(const Event& event) {
  return write_out(state_->encoder.add_event(event));
}

Result<void> TraceWriter::add_mark(const Mark& mark) {
  return write_out(state_->encoder.add_mark(mark));
}

Result<void> TraceWriter::finish() {
  state_->encoder.finish();
  SKL_TRY_DO(state_->write_out());
  if (state_->frame) {
    SKL_TRY_DO(state_->write_packed(state_->frame->end(state_->packed)));
  }
  return state_->file.commit();
}

}  // namespace seekless
