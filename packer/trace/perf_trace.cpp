// Reads the output of `perf trace`, which shows the same calls as strace:
//      0.717 ( 0.022 ms): game/30583 openat(dfd: CWD, filename: "/g/a.pak", flags: RDONLY) = 4
//      0.945 ( 0.020 ms): game/30583 read(fd: 4</g/a.pak>, buf: 0x7ffc, count: 832)        = 832
// Times are milliseconds since perf started, or with -T since the system did. Arguments have names;
// arguments that are 0 are missing. A long call appears twice: its first line ends with "... ", its
// second begins with "... [continued]: read()) = 832". Without BPF, perf sees pointers instead of
// file names ("filename: 0x363720b1"); then only the paths given with descriptors help.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/strace.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

constexpr std::string_view kContinued = "... [continued]: ";
constexpr std::string_view kMinorFault = "minfault [";
constexpr std::string_view kMajorFault = "majfault [";
constexpr int64_t kMillisecondNs = 1'000'000;

// Holds perf's names for a call's arguments, in strace's order.
struct PerfCall {
  std::string_view name;
  std::array<std::string_view, StraceCall::kMaxArguments> arguments;
};

// Lists the calls whose argument order or flags matter.
constexpr PerfCall kPerfCalls[] = {
    {"read", {{"fd", "buf", "count"}}},
    {"pread64", {{"fd", "buf", "count", "pos"}}},
    {"readv", {{"fd", "vec", "vlen"}}},
    {"preadv", {{"fd", "vec", "vlen", "pos_l"}}},
    {"preadv2", {{"fd", "vec", "vlen", "pos_l"}}},
    {"mmap", {{"addr", "len", "prot", "flags", "fd", "off"}}},
    {"open", {{"filename", "flags", "mode"}}},
    {"openat", {{"dfd", "filename", "flags", "mode"}}},
    {"creat", {{"pathname", "mode"}}},
    {"close", {{"fd"}}},
    {"close_range", {{"fd", "max_fd", "flags"}}},
    {"lseek", {{"fd", "offset", "whence"}}},
    {"dup", {{"fildes"}}},
    {"dup2", {{"oldfd", "newfd"}}},
    {"dup3", {{"oldfd", "newfd", "flags"}}},
    {"fcntl", {{"fd", "cmd", "arg"}}},
    {"clone", {{"clone_flags"}}},
    {"chdir", {{"filename"}}},
    {"fchdir", {{"fd"}}},
    {"sendfile64", {{"out_fd", "in_fd", "offset", "count"}}},
};

struct PerfLine {
  std::optional<int64_t> time_ns;      // nothing for "?", if the call began before the trace
  std::optional<int64_t> duration_ns;  // nothing if the call hasn't ended
  uint32_t thread = 0;
  std::string_view rest;  // the call, or "... [continued]: read()) = 5"
};

// Parses "game/30583 read(" or "30583 read(". A program's name may hold any characters, even
// spaces.
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

std::optional<PerfLine> split_perf_line(std::string_view text) {
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

// -F adds page faults, which show the missing page, but not the cause.
bool is_fault(std::string_view rest) {
  return rest.starts_with(kMinorFault) || rest.starts_with(kMajorFault);
}

bool looks_like_perf(std::string_view text) {
  const auto line = split_perf_line(text);
  if (!line) return false;
  if (is_fault(line->rest)) return true;
  std::string_view call = line->rest;
  if (call.starts_with(kContinued)) call.remove_prefix(kContinued.size());
  return is_word(call.substr(0, call.find('(')));
}

// Returns the value of one name in "fd: 4</g/a, b: c.pak>, buf: 0x7f". Values, even paths, may hold
// commas, so a value ends where the next name begins.
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

bool is_path(std::string_view name) {
  return name == "filename" || name == "pathname";
}

// Returns an empty path if perf saw only a pointer, or cut the path.
std::string_view path_in(std::string_view value) {
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"'))
    value = value.substr(1, value.size() - 2);
  return value.starts_with("0x") || value.ends_with("...") ? std::string_view{} : value;
}

void fill_arguments(std::string_view name, std::string_view text, StraceCall& call) {
  call = {};
  const auto* known = std::ranges::find(kPerfCalls, name, &PerfCall::name);
  if (known == std::end(kPerfCalls)) return;
  for (const std::string_view argument : known->arguments) {
    if (argument.empty()) break;
    const std::string_view value = value_of(text, argument);
    std::string_view& filled = call.arguments[call.count++];
    if (is_path(argument))
      filled = path_in(value);
    else if (value == "CWD")
      filled = "AT_FDCWD";
    else if (value.empty())  // a mapping without a file has no descriptor
      filled = argument == "fd" && name == "mmap" ? "-1" : "0";
    else
      filled = value;
  }
}

// Finds where the arguments end in "fd: 4</g/a.pak>, count: 832)   = 832". Paths may hold the same
// characters, but rarely more than one space in a row.
std::optional<size_t> end_of_arguments(std::string_view rest) {
  const size_t result = rest.rfind(" = ");
  if (result == std::string_view::npos) return std::nullopt;
  const size_t close = rest.find_last_not_of(' ', result);
  if (close == std::string_view::npos || rest[close] != ')') return std::nullopt;
  return close;
}

class PerfText final : public CallText {
 public:
  StraceLine split_line(std::string_view text) override;
  bool split_call(std::string_view name, std::string_view rest, StraceCall& call) override;
  void split_front(std::string_view name, std::string_view front, StraceCall& call) override {
    fill_arguments(name, front, call);
  }
  bool may_be_whole(std::string_view) const override { return true; }
  uint64_t lost() const { return lost_; }
  bool tells_names() const { return tells_names_; }

 private:
  void take_call(const PerfLine& line, StraceLine& told);
  bool is_remark(std::string_view text);

  uint64_t lost_ = 0;
  bool tells_names_ = true;
  bool is_summary_ = false;
  int64_t now_ns_ = 0;
};

// Recognises "LOST 17 events!", and the tables of -S at the end.
bool PerfText::is_remark(std::string_view text) {
  is_summary_ = is_summary_ || text.find("Summary of events:") != std::string_view::npos;
  if (is_summary_) return true;
  if (const size_t at = text.find("LOST "); at != std::string_view::npos && text.ends_with('!')) {
    std::string_view rest = text.substr(at + 5);
    lost_ += parse_whole_number(take_word(rest)).value_or(1);
    return true;
  }
  return false;
}

void PerfText::take_call(const PerfLine& line, StraceLine& told) {
  using enum StraceLine::LineKind;
  std::string_view rest = line.rest;
  const bool is_resumed = rest.starts_with(kContinued);
  if (is_resumed) rest.remove_prefix(kContinued.size());
  const size_t open = rest.find('(');
  if (open == std::string_view::npos || !is_word(rest.substr(0, open))) return;
  told.name = rest.substr(0, open);
  // clone3 gets its flags by pointer, so whether the child is a thread isn't known.
  if (told.name == "clone3") {
    told.kind = remark;
    return;
  }
  rest.remove_prefix(open + 1);
  constexpr std::string_view kUnfinished = ") ...";
  const bool is_unfinished = rest.ends_with(kUnfinished);
  if (is_unfinished) {
    rest.remove_suffix(kUnfinished.size());
  } else {
    const auto end = end_of_arguments(rest);
    if (!end) return;
    if (is_resumed) rest.remove_prefix(*end);
  }
  if (!is_resumed && told.name.starts_with("open") && value_of(rest, "filename").starts_with("0x"))
    tells_names_ = false;
  now_ns_ = line.time_ns.value_or(now_ns_);
  told.kind = is_resumed ? resumed : is_unfinished ? unfinished : call;
  told.clock = StraceClock::unix_time;
  told.time_ns = now_ns_;
  told.thread = line.thread;
  told.duration_ns = line.duration_ns.value_or(-1);
  told.rest = rest;
}

StraceLine PerfText::split_line(std::string_view text) {
  StraceLine line;
  const auto split = split_perf_line(text);
  const bool is_of_fault = split && is_fault(split->rest);
  if (split && !is_of_fault) take_call(*split, line);
  if (line.kind == StraceLine::LineKind::unknown && (is_of_fault || is_remark(text)))
    line.kind = StraceLine::LineKind::remark;
  return line;
}

bool PerfText::split_call(std::string_view name, std::string_view rest, StraceCall& call) {
  const auto end = end_of_arguments(rest);
  if (!end) return false;
  fill_arguments(name, rest.substr(0, *end), call);
  // The result looks like " = 4</g/a.pak>" or " = 30583 (game)".
  const std::string_view result = rest.substr(*end + 1);
  const size_t open = result.find('<');
  if (!split_strace_result(result.substr(0, open), call)) return false;
  if (open != std::string_view::npos)
    call.result_annotation = result.substr(open + 1, result.rfind('>') - open - 1);
  return true;
}

bool recognise_perf_trace(std::string_view front) {
  return most_lines(front, looks_like_perf);
}

Result<void> parse_perf_trace(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                              ImportReport& report) {
  PerfText text;
  auto parsed = parse_calls(
      stream, text,
      {"perf-trace", false, false, "perf trace as root, on a kernel with BPF, or strace -y"},
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

}  // namespace

const Dialect kPerfTraceDialect = {
    "perf-trace", "0.945 ( 0.020 ms): game/42 read(fd: 4</g/a.pak>, ...) = 832",
    recognise_perf_trace, parse_perf_trace, "'perf trace' without -e records what is read of them"};

}  // namespace seekless
