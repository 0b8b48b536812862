// Reads the project's own trace format line by line, and interprets each line's keys.
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/jsonl_line.h"
#include "packer/trace/internal/lines.h"
#include "packer/trace/jsonl.h"

namespace seekless {
namespace {

using enum JsonlLine::Key;
using Key = JsonlLine::Key;

constexpr int64_t kTimeLimitUs = kTimeLimitNs / 1000;
constexpr const char* kAdvice = "the file is damaged; --lenient passes over such lines";

class JsonlParser {
 public:
  JsonlParser(std::string file, TraceSink& sink) : file_(std::move(file)), sink_(sink) {}

  Result<void> header(std::string_view text);
  // Returns false if the line can't be understood; problem() then tells why.
  Result<bool> line(std::string_view text) {
    if (!parse(text)) return false;
    return apply();
  }
  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  const std::string& problem() const { return problem_; }

 private:
  static Result<bool> done(Result<void> result) {
    if (!result) return std::unexpected(result.error());
    return true;
  }

  bool parse(std::string_view text) { return fields_.parse(text, problem_); }
  Result<bool> apply();
  Result<bool> apply_event();
  Result<bool> apply_mark(bool begins);
  bool take_time();
  bool take_origin();
  bool take_place(EventKind kind);
  Result<bool> emit_burst(Event event, int64_t span_us, int64_t took_us);

  // Reads a number that must lie in 0..limit; otherwise sets the problem and returns false.
  template <typename T>
  bool take(Key key, T limit, T& value) {
    if (!fields_.has(key)) return true;
    const int64_t given = fields_.integers[key];
    if (given < 0 || static_cast<uint64_t>(given) > static_cast<uint64_t>(limit)) {
      problem_ = fmt::format("{} as '{}'", given, key_name(key));
      return false;
    }
    value = static_cast<T>(given);
    return true;
  }

  std::string file_;
  TraceSink& sink_;
  JsonlLine fields_;
  std::string problem_;
  std::vector<uint64_t> next_offsets_;  // indexed by path
  int64_t previous_end_us_ = 0;
  int64_t start_us_ = 0;
  uint32_t path_ = 0;
  uint32_t process_ = 0;
  uint32_t thread_ = 0;
  uint64_t offset_bytes_ = 0;  // offset of the current event
};

Result<bool> JsonlParser::apply() {
  if (fields_.has(kSeekless)) return refuse("a second header");
  if (fields_.has(kPath)) {
    if (next_offsets_.size() >= UINT32_MAX - 2) return refuse("too many paths");
    path_ = static_cast<uint32_t>(next_offsets_.size());
    next_offsets_.push_back(0);
    return done(sink_.add_path(fields_.texts[kPath]));
  }
  if (fields_.has(kBegins)) return apply_mark(true);
  if (fields_.has(kEnds)) return apply_mark(false);
  if (fields_.has(kOpen) || fields_.has(kRead) || fields_.has(kMap)) return apply_event();
  return refuse("none of the keys path, open, read, map, begins, ends");
}

bool JsonlParser::take_time() {
  const int64_t gap_us = fields_.integer(kGap, 0);
  if (gap_us < -4 * kTimeLimitUs || gap_us > 4 * kTimeLimitUs) {
    problem_ = fmt::format("{} as 'gap'", gap_us);
    return false;
  }
  start_us_ = previous_end_us_ + gap_us;
  if (start_us_ < -kTimeLimitUs || start_us_ > kTimeLimitUs) {
    problem_ = "a time too far from the trace's beginning";
    return false;
  }
  return true;
}

bool JsonlParser::take_origin() {
  if (!take(kFile, UINT32_MAX, path_) || !take(kThread, UINT32_MAX, thread_) ||
      !take(kProcess, UINT32_MAX, process_))
    return false;
  if (path_ < next_offsets_.size()) return true;
  problem_ = fmt::format("file {} of {} so far", path_, next_offsets_.size());
  return false;
}

// Finds where the line's reads begin, and stores where the next read would begin.
bool JsonlParser::take_place(EventKind kind) {
  uint64_t& next = next_offsets_[path_];
  if (kind == EventKind::open) {
    offset_bytes_ = next = 0;
    return true;
  }
  offset_bytes_ = next;
  if (!take(kAt, kPlaceLimitBytes, offset_bytes_)) return false;
  uint64_t end = offset_bytes_;
  for (const int64_t length : fields_.lengths) {
    if (static_cast<uint64_t>(length) > kPlaceLimitBytes - end) {
      problem_ = "a read beyond byte 2^53";
      return false;
    }
    end += static_cast<uint64_t>(length);
  }
  next = end;
  return true;
}

Result<bool> JsonlParser::apply_event() {
  if (fields_.has(kOpen) + fields_.has(kRead) + fields_.has(kMap) != 1)
    return refuse("more than one of the keys open, read, map");
  if (fields_.is_list && fields_.lengths.empty()) return refuse("an empty list as 'read'");
  if (fields_.has(kOpen) && (fields_.integers[kOpen] != 0) == (fields_.integer(kErrno, 0) != 0))
    return refuse("an open that tells success and failure at once");
  const EventKind kind = fields_.has(kOpen)   ? EventKind::open
                         : fields_.has(kRead) ? EventKind::read
                                              : EventKind::map;
  int64_t took_us = -1;
  int64_t span_us = 0;
  Event event;
  event.kind = kind;
  // Checks everything before changing anything, so a skipped line has no effect.
  const auto was = std::tuple(path_, process_, thread_);
  if (!take_time() || !take_origin() || !take(kTook, kTimeLimitUs, took_us) ||
      !take(kSpan, kTimeLimitUs, span_us) ||
      !take(kErrno, std::numeric_limits<int32_t>::max(), event.os_error) || !take_place(kind)) {
    std::tie(path_, process_, thread_) = was;
    return false;
  }
  if (kind != EventKind::open) event.os_error = 0;  // other kinds have no error
  event.path = path_;
  event.process = process_;
  event.thread = thread_;
  event.start_ns = start_us_ * 1000;
  event.offset_bytes = offset_bytes_;
  if (fields_.is_list) return emit_burst(event, span_us, took_us);
  event.duration_ns = took_us < 0 ? kUnknownDuration : took_us * 1000;
  if (fields_.is_whole) event.length_bytes = kWholeFile;
  if (!fields_.lengths.empty()) event.length_bytes = static_cast<uint64_t>(fields_.lengths.front());
  previous_end_us_ = start_us_ + std::max<int64_t>(took_us, 0);
  return done(sink_.add_event(event));
}

// Returns `total` * `index` / `count` without overflow, for a count below 2^31.
int64_t step(int64_t total, int64_t index, int64_t count) {
  return total / count * index + total % count * index / count;
}

// Emits the reads of a burst. All take equally long, and so do the pauses between them. Thus the
// first read begins and the last one ends at the recorded times.
Result<bool> JsonlParser::emit_burst(Event event, int64_t span_us, int64_t took_us) {
  if (took_us > span_us) return refuse("a 'took' beyond the 'span'");
  if (span_us > kTimeLimitUs - start_us_) return refuse("a 'span' too far from the beginning");
  const auto count = static_cast<int64_t>(fields_.lengths.size());
  const int64_t busy_us = std::max<int64_t>(took_us, 0);
  int64_t busy_before_us = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t busy_after_us = step(busy_us, i + 1, count);
    const int64_t paused_us = step(span_us - busy_us, i, std::max<int64_t>(count - 1, 1));
    event.start_ns = (start_us_ + busy_before_us + paused_us) * 1000;
    event.duration_ns = took_us < 0 ? kUnknownDuration : (busy_after_us - busy_before_us) * 1000;
    event.length_bytes = static_cast<uint64_t>(fields_.lengths[static_cast<size_t>(i)]);
    SKL_TRY_DO(sink_.add_event(event));
    event.offset_bytes += event.length_bytes;
    busy_before_us = busy_after_us;
  }
  previous_end_us_ = start_us_ + span_us;
  return true;
}

Result<bool> JsonlParser::apply_mark(bool begins) {
  if (!take_time()) return false;
  previous_end_us_ = start_us_;
  return done(sink_.add_mark({start_us_ * 1000, fields_.texts[begins ? kBegins : kEnds], begins}));
}

Result<void> JsonlParser::header(std::string_view text) {
  Fault fault{.file = file_,
              .place = "line 1",
              .expected = "the header of a trace: {\"seekless\":\"trace\",\"version\":1,...}"};
  if (auto parsed = parse(text); !parsed || !fields_.has(kSeekless)) {
    fault.found = problem_.empty() ? "another line" : problem_;
    return damaged(fault);
  }
  if (fields_.texts[kSeekless] != "trace") {
    fault.found = fmt::format("a file of kind '{}'", fields_.texts[kSeekless]);
    return damaged(fault);
  }
  if (const int64_t version = fields_.integer(kVersion, 0); version != kTraceVersion) {
    fault.expected = fmt::format("version {} of a trace", kTraceVersion);
    fault.found = fmt::format("version {}", version);
    fault.advice = version > kTraceVersion ? "use a newer seekless" : "record the trace again";
    return damaged(fault);
  }
  TraceHeader header;
  auto text_of = [this](Key key) { return fields_.has(key) ? fields_.texts[key] : std::string(); };
  header.scenario = text_of(kScenario);
  header.machine = text_of(kMachine);
  header.command = text_of(kCommand);
  header.dialect = text_of(kDialect);
  int64_t began_us = 0;
  if (!take(kBegan, INT64_MAX / 1000, began_us)) {
    fault.found = problem_;
    return damaged(fault);
  }
  header.began_unix_ns = began_us * 1000;
  return sink_.begin(header);
}

Result<void> parse_lines(LineReader& lines, bool is_lenient, JsonlParser& parser,
                         ImportReport& report, const std::string& file) {
  Line line;
  for (;;) {
    SKL_TRY(const auto more, lines.next(line));
    if (!more) return {};
    if (line.text.empty()) continue;
    SKL_TRY(auto understood,
            line.is_cut ? parser.refuse("a line longer than 1 MiB") : parser.line(line.text));
    if (understood) continue;
    if (!line.is_ended) {
      report.warnings.push_back(fmt::format(
          "{}: line {}: the last line is cut short, and is left out", file, line.number));
      return {};
    }
    if (!is_lenient)
      return damaged({.file = file,
                      .place = fmt::format("line {}", line.number),
                      .expected = "a line of a trace",
                      .found = parser.problem(),
                      .advice = kAdvice});
    report.add_unparsed(line.number, line.text);
  }
}

bool recognise_jsonl(std::string_view front) {
  const std::string_view first_line = front.substr(0, front.find('\n'));
  return first_line.starts_with('{') && first_line.find("\"seekless\"") != std::string_view::npos;
}

// A line that can't be parsed is an error at once, unless the options are lenient, because each
// line builds on those before it.
Result<void> parse_jsonl(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                         ImportReport& report) {
  LineReader lines(stream);
  JsonlParser parser(stream.name(), sink);
  Line first;
  SKL_TRY(const auto more, lines.next(first));
  SKL_TRY_DO(parser.header(more ? first.text : ""));
  auto parsed = parse_lines(lines, options.lenient, parser, report, stream.name());
  report.lines = lines.lines();
  return parsed;
}

}  // namespace

const Dialect kSeeklessDialect = {"seekless",
                                  "lines of JSON, first {\"seekless\":\"trace\",\"version\":1,...}",
                                  recognise_jsonl, parse_jsonl};

}  // namespace seekless
