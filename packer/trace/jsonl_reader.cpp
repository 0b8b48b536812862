// Reads the project's own form of a trace, line by line, with nlohmann's event-driven parser: the
// lines are flat, so each becomes a struct of the keys it may have, without a tree in between.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/trace/jsonl.h"
#include "packer/trace/lines.h"

namespace seekless {
namespace {

constexpr int64_t kTimeLimitUs = kTimeLimitNs / 1000;
constexpr const char* kAdvice = "the file is damaged; --lenient passes over such lines";

// Every key that a line may have; see schemas/trace.schema.json for what each means.
enum Key : uint32_t {
  kSeekless,
  kVersion,
  kScenario,
  kMachine,
  kCommand,
  kDialect,
  kBegan,
  kPath,
  kRaw,
  kGap,
  kFile,
  kOpen,
  kRead,
  kMap,
  kAt,
  kSpan,
  kTook,
  kThread,
  kProcess,
  kErrno,
  kBegins,
  kEnds,
  kKeyCount
};

constexpr std::array<std::string_view, kKeyCount> kKeyNames = {
    "seekless", "version", "scenario", "machine", "command", "dialect", "began", "path",
    "raw",      "gap",     "file",     "open",    "read",    "map",     "at",    "span",
    "took",     "thread",  "process",  "errno",   "begins",  "ends"};

enum class Type : uint8_t { text, integer, flag, lengths };

constexpr Type type_of(Key key) {
  switch (key) {
    case kSeekless:
    case kScenario:
    case kMachine:
    case kCommand:
    case kDialect:
    case kPath:
    case kBegins:
    case kEnds:
      return Type::text;
    case kRaw:
    case kOpen:
      return Type::flag;
    case kRead:
    case kMap:
      return Type::lengths;
    default:
      return Type::integer;
  }
}

// One line: which keys it has, and their values.
struct Fields {
  uint32_t present = 0;  // bit by Key
  std::array<int64_t, kKeyCount> integers = {};
  std::array<std::string, kKeyCount> texts;
  std::vector<int64_t> lengths;
  bool is_list = false;   // "read" is a list
  bool is_whole = false;  // "read" or "map" is "whole"

  bool has(Key key) const { return (present >> key & 1U) != 0; }
  int64_t integer(Key key, int64_t otherwise) const { return has(key) ? integers[key] : otherwise; }
};

// What nlohmann's parser calls; false stops it. Values of keys that we don't know are passed over.
class FieldsHandler {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  FieldsHandler(Fields& fields, std::string& problem) : fields_(fields), problem_(problem) {
    fields_.present = 0;
    fields_.lengths.clear();
    fields_.is_list = false;
    fields_.is_whole = false;
  }

  bool null() { return !is_ours() || wrong("null"); }
  bool boolean(bool value) {
    if (!is_ours()) return true;
    if (type_of(*key_) != Type::flag) return wrong("a boolean");
    fields_.integers[*key_] = value ? 1 : 0;
    return set();
  }
  bool number_integer(number_integer_t value) {
    if (!is_ours()) return true;
    if (type_of(*key_) == Type::lengths) return add_length(value);
    if (type_of(*key_) != Type::integer) return wrong("a number");
    fields_.integers[*key_] = value;
    return set();
  }
  bool number_unsigned(number_unsigned_t value) {
    if (is_ours() && value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return wrong("a number that is too large");
    return number_integer(static_cast<int64_t>(value));
  }
  bool number_float(number_float_t, const string_t&) {
    return !is_ours() || wrong("a number with a fraction");
  }
  bool string(string_t& value) {
    if (!is_ours()) return true;
    if (type_of(*key_) == Type::lengths && depth_ == 1 && value == "whole") {
      fields_.is_whole = true;
      return set();
    }
    if (type_of(*key_) != Type::text) return wrong("a string");
    fields_.texts[*key_].swap(value);
    return set();
  }
  bool binary(binary_t&) { return false; }
  bool start_object(size_t) {
    if (is_ours()) return wrong("an object");
    ++depth_;
    return true;
  }
  bool key(string_t& name) {
    if (depth_ != 1) return true;
    const auto known = std::ranges::find(kKeyNames, name);
    key_.reset();
    if (known == kKeyNames.end()) return true;
    key_ = static_cast<Key>(known - kKeyNames.begin());
    if (!fields_.has(*key_)) return true;
    problem_ = fmt::format("'{}' twice", name);
    return false;
  }
  bool end_object() { return leave(); }
  bool start_array(size_t) {
    if (depth_ == 0) {
      problem_ = "a list";
      return false;
    }
    if (is_ours()) {
      if (*key_ != kRead || depth_ != 1) return wrong("a list");
      fields_.is_list = true;
      set();
    }
    ++depth_;
    return true;
  }
  bool end_array() { return leave(); }
  bool parse_error(size_t at, const std::string&, const nlohmann::json::exception&) {
    problem_ = fmt::format("no JSON at byte {} of the line", at);
    return false;
  }

  bool is_object() const { return was_object_; }

 private:
  // Whether the value at hand belongs to a key that we know.
  bool is_ours() {
    if (depth_ == 0) return false;
    return key_.has_value() && (depth_ == 1 || (depth_ == 2 && fields_.is_list && *key_ == kRead));
  }
  bool set() {
    fields_.present |= 1U << *key_;
    return true;
  }
  bool leave() {
    --depth_;
    was_object_ = depth_ == 0;
    return true;
  }
  bool add_length(int64_t value) {
    if (value < 0 || static_cast<uint64_t>(value) > kPlaceLimitBytes)
      return wrong("a wrong length");
    fields_.lengths.push_back(value);
    return set();
  }
  bool wrong(const char* found) {
    problem_ = fmt::format("{} as '{}'", found, kKeyNames[*key_]);
    return false;
  }

  Fields& fields_;
  std::string& problem_;
  std::optional<Key> key_;
  uint32_t depth_ = 0;
  bool was_object_ = false;
};

// Undoes "raw": each character is one byte. False if one is none.
bool characters_to_bytes(std::string& text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      bytes += text[i];
    } else if ((lead == 0xc2 || lead == 0xc3) && i + 1 < text.size()) {
      const auto trail = static_cast<unsigned char>(text[++i]);
      bytes += static_cast<char>((lead & 0x03U) << 6 | (trail & 0x3fU));
    } else {
      return false;
    }
  }
  text.swap(bytes);
  return true;
}

class JsonlParser {
 public:
  JsonlParser(std::string file, TraceSink& sink) : file_(std::move(file)), sink_(sink) {}

  Result<void> header(std::string_view text);
  // False if the line says nothing that can be understood; problem() then tells why.
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

  bool parse(std::string_view text);
  bool undo_raw();
  Result<bool> apply();
  Result<bool> apply_event();
  Result<bool> apply_mark(bool begins);
  bool take_time();
  bool take_origin();
  bool take_place(EventKind kind);
  Result<bool> emit_burst(Event event, int64_t span_us, int64_t took_us);

  // A number that must lie in 0..limit; false (and the problem) if it doesn't.
  template <typename T>
  bool take(Key key, T limit, T& value) {
    if (!fields_.has(key)) return true;
    const int64_t given = fields_.integers[key];
    if (given < 0 || static_cast<uint64_t>(given) > static_cast<uint64_t>(limit)) {
      problem_ = fmt::format("{} as '{}'", given, kKeyNames[key]);
      return false;
    }
    value = static_cast<T>(given);
    return true;
  }

  std::string file_;
  TraceSink& sink_;
  Fields fields_;
  std::string problem_;
  std::vector<uint64_t> next_offsets_;  // by path
  int64_t previous_end_us_ = 0;
  int64_t start_us_ = 0;
  uint32_t path_ = 0;
  uint32_t process_ = 0;
  uint32_t thread_ = 0;
  uint64_t offset_bytes_ = 0;  // of the event at hand
};

bool JsonlParser::parse(std::string_view text) {
  problem_.clear();
  FieldsHandler handler(fields_, problem_);
  const bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  if (!parsed || !handler.is_object()) return refuse(problem_.empty() ? "no object" : problem_);
  return fields_.integer(kRaw, 0) == 0 || undo_raw();
}

bool JsonlParser::undo_raw() {
  for (uint32_t i = 0; i < kKeyCount; ++i) {
    const Key key = static_cast<Key>(i);
    if (!fields_.has(key) || type_of(key) != Type::text) continue;
    if (!characters_to_bytes(fields_.texts[key]))
      return refuse(fmt::format("a character beyond U+00FF as '{}' of a raw line", kKeyNames[i]));
  }
  return true;
}

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

// Finds where the reads of the line begin, and moves on the place where the next one would.
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
  // All is checked before any of it counts, so that a line passed over leaves nothing behind.
  const auto was = std::tuple(path_, process_, thread_);
  if (!take_time() || !take_origin() || !take(kTook, kTimeLimitUs, took_us) ||
      !take(kSpan, kTimeLimitUs, span_us) ||
      !take(kErrno, std::numeric_limits<int32_t>::max(), event.os_error) || !take_place(kind)) {
    std::tie(path_, process_, thread_) = was;
    return false;
  }
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

// The `index`-th of `count` even steps to `total`, without overflow for a count below 2^31.
int64_t step(int64_t total, int64_t index, int64_t count) {
  return total / count * index + total % count * index / count;
}

// The reads share their time evenly, and so do the pauses between them; then the first begins and
// the last ends when they did.
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
    if (auto added = sink_.add_event(event); !added) return std::unexpected(added.error());
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
    const auto more = lines.next(line);
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
    if (line.text.empty()) continue;
    Result<bool> understood =
        line.is_cut ? parser.refuse("a line longer than 1 MiB") : parser.line(line.text);
    if (!understood) return std::unexpected(understood.error());
    if (*understood) continue;
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

}  // namespace

bool recognise_jsonl(std::string_view front) {
  const std::string_view first_line = front.substr(0, front.find('\n'));
  return first_line.starts_with('{') && first_line.find("\"seekless\"") != std::string_view::npos;
}

Result<void> parse_jsonl(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                         ImportReport& report) {
  LineReader lines(stream);
  JsonlParser parser(stream.name(), sink);
  Line first;
  const auto more = lines.next(first);
  if (!more) return std::unexpected(more.error());
  if (auto begun = parser.header(*more ? first.text : ""); !begun) return begun;
  auto parsed = parse_lines(lines, options.lenient, parser, report, stream.name());
  report.lines = lines.lines();
  return parsed;
}

}  // namespace seekless
