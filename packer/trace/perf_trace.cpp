// Reads what `perf trace` prints, by rewriting each line as strace would have written it:
//      0.717 ( 0.022 ms): game/30583 openat(dfd: CWD, filename: "/g/a.pak", flags: RDONLY) = 4
//      0.945 ( 0.020 ms): game/30583 read(fd: 4</g/a.pak>, buf: 0x7ffc, count: 832)        = 832
// Times are milliseconds since perf started, or since the system did (-T). Arguments have names,
// and those that are 0 are left out. A call that took long appears twice: its first line ends with
// "... ", its second begins with "... [continued]: read()) = 832". Without BPF, perf sees pointers
// instead of file names ("filename: 0x363720b1"); then only the paths given with descriptors help.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "packer/trace/internal/lines.h"
#include "packer/trace/internal/strace.h"
#include "packer/trace/internal/text_dialect.h"
#include "packer/trace/internal/text_dialects.h"

namespace seekless {
namespace {

constexpr std::string_view kContinued = "... [continued]: ";
constexpr std::string_view kMinorFault = "minfault [";
constexpr std::string_view kMajorFault = "majfault [";
constexpr int64_t kMillisecondNs = 1'000'000;
// Times get this base, so that they look like strace's wall clock (any second since 1973).
constexpr int64_t kBaseSeconds = 1'000'000'000;
constexpr size_t kMaxArguments = 8;

// Says where strace has the argument, and what stands there if perf left out a 0.
struct Argument {
  std::string_view name;
  std::string_view prefix = {};  // prefix of each flag
};
struct PerfCall {
  std::string_view name;
  std::array<Argument, kMaxArguments> arguments;
};

// Lists the calls whose argument order or flags matter.
constexpr PerfCall kPerfCalls[] = {
    {"read", {{{"fd"}, {"buf"}, {"count"}}}},
    {"pread64", {{{"fd"}, {"buf"}, {"count"}, {"pos"}}}},
    {"readv", {{{"fd"}, {"vec"}, {"vlen"}}}},
    {"preadv", {{{"fd"}, {"vec"}, {"vlen"}, {"pos_l"}}}},
    {"preadv2", {{{"fd"}, {"vec"}, {"vlen"}, {"pos_l"}}}},
    {"mmap", {{{"addr"}, {"len"}, {"prot", "PROT_"}, {"flags", "MAP_"}, {"fd"}, {"off"}}}},
    {"open", {{{"filename"}, {"flags", "O_"}, {"mode"}}}},
    {"openat", {{{"dfd"}, {"filename"}, {"flags", "O_"}, {"mode"}}}},
    {"creat", {{{"pathname"}, {"mode"}}}},
    {"close", {{{"fd"}}}},
    {"close_range", {{{"fd"}, {"max_fd"}, {"flags", "CLOSE_RANGE_"}}}},
    {"lseek", {{{"fd"}, {"offset"}, {"whence"}}}},
    {"dup", {{{"fildes"}}}},
    {"dup2", {{{"oldfd"}, {"newfd"}}}},
    {"dup3", {{{"oldfd"}, {"newfd"}, {"flags", "O_"}}}},
    {"fcntl", {{{"fd"}, {"cmd", "F_"}, {"arg"}}}},
    {"clone", {{{"clone_flags", "CLONE_"}}}},
    {"chdir", {{{"filename"}}}},
    {"fchdir", {{{"fd"}}}},
    {"sendfile64", {{{"out_fd"}, {"in_fd"}, {"offset"}, {"count"}}}},
};

const PerfCall* find_call(std::string_view name) {
  for (const PerfCall& call : kPerfCalls)
    if (call.name == name) return &call;
  return nullptr;
}

struct PerfLine {
  std::optional<int64_t> time_ns;      // nothing for "?": the call began before the trace
  std::optional<int64_t> duration_ns;  // nothing if the call hasn't ended
  uint32_t thread = 0;
  std::string_view rest;  // the call, or "... [continued]: read()) = 5"
};

// Takes "game/30583 read(" or "30583 read(". A program's name may hold anything, spaces too.
void take_thread(std::string_view& text, uint32_t& thread) {
  const std::string_view head = text.substr(0, text.find('('));
  size_t end = head.rfind(' ');
  for (const std::string_view what : {kContinued, kMinorFault, kMajorFault})
    if (const size_t at = head.find(what); at != std::string_view::npos) end = at;
  if (end == std::string_view::npos) return;
  while (end > 0 && head[end - 1] == ' ') --end;
  const std::string_view who = head.substr(0, end);
  const auto number = parse_id(who.substr(who.rfind('/') + 1));
  if (!number || *number > INT32_MAX) return;
  thread = *number;
  text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
}

std::optional<PerfLine> split_line(std::string_view text) {
  PerfLine line;
  const std::string_view time = take_word(text);
  if (time != "?") {
    line.time_ns = parse_decimal_ns(time, kMillisecondNs);
    if (!line.time_ns) return std::nullopt;
  }
  if (!text.starts_with(" (")) return std::nullopt;
  const size_t close = text.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view duration = text.substr(2, close - 2);
  text.remove_prefix(close + 3);
  if (duration.ends_with(" ms")) {
    duration.remove_suffix(3);
    line.duration_ns = parse_decimal_ns(take_word(duration), kMillisecondNs);
    if (!line.duration_ns) return std::nullopt;
  } else if (duration.find_first_not_of(' ') != std::string_view::npos) {
    return std::nullopt;
  }
  take_thread(text, line.thread);
  line.rest = text;
  return line;
}

bool is_word(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// -F adds page faults: the page that was missing, but not why.
bool is_fault(std::string_view rest) {
  return rest.starts_with(kMinorFault) || rest.starts_with(kMajorFault);
}

bool looks_like_perf(std::string_view text) {
  const auto line = split_line(text);
  if (!line) return false;
  if (is_fault(line->rest)) return true;
  std::string_view call = line->rest;
  if (call.starts_with(kContinued)) call.remove_prefix(kContinued.size());
  return is_word(call.substr(0, call.find('(')));
}

// Returns the value of one name in "fd: 4</g/a, b: c.pak>, buf: 0x7f". Values hold commas, even
// those of paths, so a value ends where the next name begins.
std::string_view value_of(std::string_view arguments, std::string_view name) {
  size_t at = 0;
  for (;;) {
    const std::string_view rest = arguments.substr(at);
    const size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) return {};
    const bool is_it = rest.substr(0, colon) == name;
    const size_t begin = at + colon + 2;
    size_t end = arguments.size();
    for (size_t comma = arguments.find(", ", begin); comma != std::string_view::npos;
         comma = arguments.find(", ", comma + 2)) {
      const std::string_view next = arguments.substr(comma + 2);
      if (!is_word(next.substr(0, next.find(": ")))) continue;
      end = comma;
      break;
    }
    if (is_it) return arguments.substr(begin, end - begin);
    if (end == arguments.size()) return {};
    at = end + 2;
  }
}

void append_escaped(std::string_view text, std::string& out) {
  for (const char c : text)
    if (c == '<' || c == '>' || c == '"' || c == '\\')
      fmt::format_to(std::back_inserter(out), "\\{:03o}", static_cast<unsigned char>(c));
    else
      out += c;
}

bool is_path(std::string_view name) {
  return name == "filename" || name == "pathname";
}

// Writes NULL if perf saw only a pointer, or cut the path.
void append_path(std::string_view value, std::string& out) {
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"'))
    value = value.substr(1, value.size() - 2);
  if (value.empty() || value.starts_with("0x") || value.ends_with("...")) {
    out += "NULL";
    return;
  }
  out += '"';
  append_escaped(value, out);
  out += '"';
}

// Writes a descriptor such as "4</g/a.pak>".
void append_descriptor(std::string_view value, std::string& out) {
  const size_t open = value.find('<');
  out += value.substr(0, open);
  if (open == std::string_view::npos) return;
  out += '<';
  append_escaped(value.substr(open + 1, value.rfind('>') - open - 1), out);
  out += '>';
}

// Writes flags such as "RDONLY|CLOEXEC|0x11".
void append_flags(std::string_view prefix, std::string_view value, std::string& out) {
  while (!value.empty()) {
    const size_t end = std::min(value.find('|'), value.size());
    const bool is_number = value.front() >= '0' && value.front() <= '9';
    if (!is_number) out += prefix;
    out += value.substr(0, end);
    value.remove_prefix(std::min(end + 1, value.size()));
    if (!value.empty()) out += '|';
  }
}

// Writes the value as strace would.
void append_value(const Argument& argument, std::string_view value, std::string& out) {
  if (is_path(argument.name))
    append_path(value, out);
  else if (value == "CWD")
    out += "AT_FDCWD";
  else if (value.empty())
    out += '0';
  else if (value.find('<') != std::string_view::npos)
    append_descriptor(value, out);
  else if (argument.prefix.empty())
    out += value;
  else
    append_flags(argument.prefix, value, out);
}

void append_arguments(const PerfCall& call, std::string_view arguments, std::string& out) {
  // A mapping without a file has no descriptor, and a missing descriptor then doesn't mean 0.
  for (size_t i = 0; i < kMaxArguments && !call.arguments[i].name.empty(); ++i) {
    if (i > 0) out += ", ";
    const Argument& argument = call.arguments[i];
    const std::string_view value = value_of(arguments, argument.name);
    if (value.empty() && argument.name == "fd" && call.name == "mmap")
      out += "-1";
    else
      append_value(argument, value, out);
  }
}

// Gives each line as strace would have written it; a line that isn't perf's is passed on unchanged.
class PerfTraceText final : public ByteStream {
 public:
  explicit PerfTraceText(ByteStream& stream) : stream_(stream), lines_(stream) {}

  const std::string& name() const override { return stream_.name(); }
  Result<size_t> read(std::span<std::byte> into) override;
  uint64_t lost() const { return lost_; }
  bool tells_names() const { return tells_names_; }

 private:
  void rewrite(const Line& line);
  bool rewrite_call(const PerfLine& line);
  bool is_remark(std::string_view text);

  ByteStream& stream_;
  LineReader lines_;
  std::string pending_;
  size_t taken_ = 0;
  uint64_t lost_ = 0;
  bool tells_names_ = true;
  bool is_summary_ = false;
  int64_t now_ns_ = 0;
};

// Recognises "LOST 17 events!", and the tables of -S at the end.
bool PerfTraceText::is_remark(std::string_view text) {
  is_summary_ = is_summary_ || text.find("Summary of events:") != std::string_view::npos;
  if (is_summary_) return true;
  if (const size_t at = text.find("LOST "); at != std::string_view::npos && text.ends_with('!')) {
    std::string_view rest = text.substr(at + 5);
    lost_ += parse_whole_number(take_word(rest)).value_or(1);
    return true;
  }
  return false;
}

bool PerfTraceText::rewrite_call(const PerfLine& line) {
  std::string_view rest = line.rest;
  const bool is_resumed = rest.starts_with(kContinued);
  if (is_resumed) rest.remove_prefix(kContinued.size());
  const size_t open = rest.find('(');
  if (open == std::string_view::npos) return false;
  const std::string_view name = rest.substr(0, open);
  if (!is_word(name)) return false;
  // The flags of clone3 are passed by pointer, so whether the child is a thread isn't known.
  if (name == "clone3") {
    pending_ += "strace: a remark\n";
    return true;
  }
  constexpr std::string_view kUnfinished = ") ...";
  const bool is_unfinished = rest.ends_with(kUnfinished);
  // The result follows ")   = 4". Paths may hold the same text, but rarely several spaces in a row.
  const size_t result = is_unfinished ? rest.size() : rest.rfind(" = ");
  if (result == std::string_view::npos) return false;
  const size_t close = rest.find_last_not_of(' ', result);
  if (!is_unfinished && (close == std::string_view::npos || close <= open || rest[close] != ')'))
    return false;
  const std::string_view arguments =
      is_resumed
          ? std::string_view{}
          : rest.substr(open + 1,
                        (is_unfinished ? rest.size() - kUnfinished.size() : close) - open - 1);
  now_ns_ = line.time_ns.value_or(now_ns_);
  fmt::format_to(std::back_inserter(pending_), "{} {}.{:09} ", line.thread,
                 kBaseSeconds + now_ns_ / 1'000'000'000, now_ns_ % 1'000'000'000);
  if (is_resumed)
    fmt::format_to(std::back_inserter(pending_), "<... {} resumed>", name);
  else
    fmt::format_to(std::back_inserter(pending_), "{}(", name);
  if (name.starts_with("open") && value_of(arguments, "filename").starts_with("0x"))
    tells_names_ = false;
  if (const PerfCall* call = find_call(name); call != nullptr && !is_resumed)
    append_arguments(*call, arguments, pending_);
  if (is_unfinished) {
    pending_ += " <unfinished ...>\n";
    return true;
  }
  pending_ += ')';
  // The result looks like " = 4</g/a.pak>" or " = 30583 (game)".
  const std::string_view value = rest.substr(result);
  if (value.find('<') != std::string_view::npos)
    append_descriptor(value, pending_);
  else
    pending_ += value.substr(0, value.find(" ("));
  if (line.duration_ns)
    fmt::format_to(std::back_inserter(pending_), " <{}.{:09}>", *line.duration_ns / 1'000'000'000,
                   *line.duration_ns % 1'000'000'000);
  pending_ += '\n';
  return true;
}

void PerfTraceText::rewrite(const Line& line) {
  const size_t before = pending_.size();
  const auto split = split_line(line.text);
  if (split && !is_fault(split->rest) && rewrite_call(*split)) return;
  pending_.resize(before);
  const bool is_told = (split && is_fault(split->rest)) || is_remark(line.text);
  pending_ += is_told ? "strace: a remark" : line.text;
  if (line.is_ended) pending_ += '\n';
}

Result<size_t> PerfTraceText::read(std::span<std::byte> into) {
  if (taken_ == pending_.size()) {
    pending_.clear();
    taken_ = 0;
  }
  Line line;
  while (pending_.size() < into.size()) {
    const auto more = lines_.next(line);
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    rewrite(line);
  }
  const size_t count = std::min(into.size(), pending_.size() - taken_);
  std::memcpy(into.data(), pending_.data() + taken_, count);
  taken_ += count;
  return count;
}

}  // namespace

bool recognise_perf_trace(std::string_view front) {
  return most_lines(front, looks_like_perf);
}

Result<void> parse_perf_trace(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                              ImportReport& report) {
  PerfTraceText text(stream);
  auto parsed = parse_strace_text(
      text, {"perf-trace", false, "perf trace as root, on a kernel with BPF, or strace -y"},
      options, sink, report);
  if (parsed && !text.tells_names())
    report.warnings.push_back(fmt::format(
        "{}: perf didn't see the names of the files that were opened, and looks descriptors up a "
        "moment later, when the number may be another file's; strace -y is certain",
        stream.name()));
  if (parsed && text.lost() > 0)
    report.warnings.push_back(
        fmt::format("{}: perf lost {} events; give it more room with --mmap-pages", stream.name(),
                    text.lost()));
  return parsed;
}

}  // namespace seekless
