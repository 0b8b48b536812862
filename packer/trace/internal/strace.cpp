#include "packer/trace/internal/strace.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "packer/trace/event_window.h"
#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/lines.h"
#include "packer/trace/internal/strace_files.h"
#include "packer/trace/internal/strace_line.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

using LineKind = StraceCallKind;

// Limits the text of one unfinished call to two paths of PATH_MAX with each byte escaped, and some
// more.
constexpr size_t kMaxWaitingBytes = size_t{64} << 10;
constexpr size_t kMaxThreads = size_t{1} << 20;  // threads alive at a time; Linux has at most 2^22
constexpr size_t kMaxAllWaitingBytes = size_t{64} << 20;

constexpr size_t kLinesLookedAt = 20;

constexpr StraceFlag kSameProcess = {"THREAD", 0x10000, 0x10000};
constexpr StraceFlag kSameFiles = {"FILES", 0x400, 0x400};

// Turns the stamps of lines, of any kind, into time since the first line.
class LineClock {
 public:
  // Returns false if the time is absurdly far away.
  bool advance(const StraceLine& line) {
    switch (line.clock) {
      case StraceClock::none:
        return true;
      case StraceClock::relative:
        if (!is_begun_) break;
        return go_to(now_ns_ + line.time_ns);
      case StraceClock::time_of_day:
        if (!is_begun_ || is_unix_) break;
        // The clock has passed midnight if it jumps back far; a small step back only means lines
        // out of order.
        if (line.time_ns + days_ns_ - base_ns_ < now_ns_ - kDayNs / 2) days_ns_ += kDayNs;
        return go_to(line.time_ns + days_ns_ - base_ns_);
      case StraceClock::unix_time:
        if (!is_unix_) break;
        return go_to(line.time_ns - base_ns_);
    }
    // This is the first line, or the first with another kind of stamp; time continues from its last
    // value.
    is_begun_ = true;
    is_unix_ = line.clock == StraceClock::unix_time;
    if (is_unix_ && now_ns_ == 0) began_unix_ns_ = line.time_ns;
    days_ns_ = 0;
    base_ns_ = line.time_ns - now_ns_;
    return true;
  }
  // Adds a call's duration, for lines that carry no time.
  void pass(int64_t duration_ns) {
    if (!is_begun_ && duration_ns > 0) go_to(now_ns_ + duration_ns);
  }
  bool has_times() const { return is_begun_; }
  int64_t now_ns() const { return now_ns_; }
  int64_t began_unix_ns() const { return began_unix_ns_; }

 private:
  static constexpr int64_t kDayNs = int64_t{86400} * 1'000'000'000;

  bool go_to(int64_t time_ns) {
    if (time_ns < -kTimeLimitNs || time_ns > kTimeLimitNs) return false;
    now_ns_ = time_ns;
    return true;
  }

  bool is_begun_ = false;
  bool is_unix_ = false;
  int64_t base_ns_ = 0;
  int64_t days_ns_ = 0;
  int64_t now_ns_ = 0;
  int64_t began_unix_ns_ = 0;
};

// Holds a call that has begun but not ended.
struct UnfinishedCall {
  LineKind kind = LineKind::other;
  int64_t start_ns = 0;
  std::string arguments;                        // arguments seen so far
  std::optional<EventWindow::Running> running;  // set if the call may give an event
};

struct Thread {
  uint32_t process = 0;
  std::shared_ptr<DescriptorTable> files;
  std::optional<UnfinishedCall> waiting;
};

class StraceParser {
 public:
  StraceParser(CallText& text, const CallDialect& dialect, TraceSink& sink)
      : text_(text),
        dialect_(dialect),
        sink_(sink),
        window_(sink),
        files_(sink, window_, dialect.is_escaped) {}

  // Returns false if the line can't be understood.
  Result<bool> line(std::string_view text);
  // Adds warnings about the whole trace to the report.
  Result<void> finish(const std::string& file, bool lenient, ImportReport& report);

 private:
  Result<void> begin(const StraceLine& line);
  Result<bool> act(const StraceLine& line);
  Result<bool> go_on_behind_split(const StraceLine& line);

  bool has_room_for(uint32_t id) const {
    return threads_.size() < kMaxThreads || threads_.contains(id);
  }
  uint32_t thread_of(const StraceLine& line);
  Thread& adopt(uint32_t id, bool is_child);
  void add_child(uint32_t id, uint32_t parent_id, std::string_view flags);
  Result<void> remove_thread(uint32_t id);

  // `rest` is the line's text after the call's earlier part.
  Result<bool> whole_call(uint32_t id, LineKind kind, const StraceLine& line, std::string_view rest,
                          int64_t start_ns, bool is_joined);
  Result<void> begin_call(uint32_t id, LineKind kind, const StraceLine& line);
  Result<bool> resume_call(uint32_t id, LineKind kind, const StraceLine& line);
  Result<void> forget_call(uint32_t id);

  CallText& text_;
  const CallDialect& dialect_;
  TraceSink& sink_;
  EventWindow window_;
  StraceFiles files_;
  LineClock clock_;
  StraceCall call_;  // reused for each line
  std::string joined_;
  bool has_begun_ = false;
  bool has_whole_life_ = false;  // true if the trace covers the program from its start
  size_t waiting_bytes_ = 0;
  size_t table_entries_ = 0;  // declared before the threads, because their tables count into it
  std::map<uint32_t, Thread> threads_;
  std::set<uint32_t> births_;           // threads in a clone call whose child hasn't been seen yet
  std::optional<uint32_t> split_call_;  // the thread whose line strace interrupted with "attached"
};

std::string command_of(CallText& text, const StraceLine& line) {
  StraceCall call;
  if (line.name != "execve" || !text.split_call(line.name, line.rest, call)) return {};
  std::string command;
  std::string word;
  // Parses ["ls", "-l", ...]: its strings are split like arguments.
  std::string_view list = call.argument(1);
  StraceCall words;
  if (list.starts_with('[')) {
    list.remove_prefix(1);
    if (list.ends_with(']')) list.remove_suffix(1);
    split_strace_front(list, words);
  }
  for (size_t i = 0; i < words.count; ++i) {
    if (!parse_strace_string(words.argument(i), word)) word = "...";
    command += (command.empty() ? "" : " ") + word;
  }
  if (command.empty() || command == "...") {
    if (parse_strace_string(call.argument(0), word)) command = word;
  }
  return command;
}

Result<void> StraceParser::begin(const StraceLine& line) {
  has_begun_ = true;
  has_whole_life_ = line.name == "execve";
  TraceHeader header;
  header.command = command_of(text_, line);
  header.dialect = dialect_.name;
  header.began_unix_ns = dialect_.has_dates ? clock_.began_unix_ns() : 0;
  return sink_.begin(header);
}

Result<bool> StraceParser::line(std::string_view text) {
  const StraceLine line = text_.split_line(text);
  if (!clock_.advance(line)) return false;
  if (line.kind == StraceLine::LineKind::unknown && split_call_) return go_on_behind_split(line);
  if (line.kind == StraceLine::LineKind::unknown) return false;
  if (!has_begun_) {
    SKL_TRY_DO(begin(line));
  }
  if (line.kind == StraceLine::LineKind::remark) return true;
  split_call_.reset();
  if (!has_room_for(line.thread.value_or(0)) || !has_room_for(line.attached_thread)) return false;
  return act(line);
}

Result<bool> StraceParser::act(const StraceLine& line) {
  const uint32_t id = thread_of(line);
  const LineKind kind = strace_call_kind(line.name);
  auto done = [](Result<void> result) -> Result<bool> {
    if (!result) return std::unexpected(result.error());
    return true;
  };
  switch (line.kind) {
    case StraceLine::LineKind::call:
      return whole_call(id, kind, line, line.rest, clock_.now_ns(), false);
    case StraceLine::LineKind::unfinished:
      return done(begin_call(id, kind, line));
    case StraceLine::LineKind::resumed:
      return resume_call(id, kind, line);
    case StraceLine::LineKind::exited:
      return done(remove_thread(id));
    case StraceLine::LineKind::attached:
      if (!line.name.empty()) {
        SKL_TRY_DO(begin_call(id, kind, line));
        split_call_ = id;
      }
      adopt(line.attached_thread, true);
      return true;
    default:
      return true;
  }
}

// strace may print "clone(flags=...strace: Process 8 attached", and continue the call on the next
// line.
Result<bool> StraceParser::go_on_behind_split(const StraceLine& line) {
  const uint32_t id = *split_call_;
  split_call_.reset();
  if (line.rest.ends_with(kStraceUnfinished)) return true;
  const auto found = threads_.find(id);
  if (found == threads_.end() || !found->second.waiting) return true;
  return resume_call(id, found->second.waiting->kind, line);
}

uint32_t StraceParser::thread_of(const StraceLine& line) {
  if (line.kind == StraceLine::LineKind::attached && !line.thread && line.name.empty()) return 0;
  if (line.thread) {
    if (!threads_.contains(*line.thread)) adopt(*line.thread, false);
    return *line.thread;
  }
  // Without -f there is one thread. With -f, strace leaves "[pid N]" out while there is only one.
  if (threads_.empty()) adopt(0, false);
  return threads_.begin()->first;
}

// Adds a thread whose creation the trace doesn't show. If strace started the program, the thread
// descends from the first one and has its descriptors. If strace was attached, the thread may
// belong to any process, so only descriptors that it opens itself are known.
Thread& StraceParser::adopt(uint32_t id, bool is_child) {
  if (const auto known = threads_.find(id); known != threads_.end()) return known->second;
  if (!births_.empty()) {
    const uint32_t parent_id = *births_.begin();
    births_.erase(births_.begin());
    add_child(id, parent_id, threads_.at(parent_id).waiting->arguments);
    return threads_.at(id);
  }
  // The first thread has the number 0 until a line tells its real number.
  if (!is_child && threads_.contains(0)) {
    auto node = threads_.extract(0);
    node.key() = id;
    node.mapped().process = id;
    return threads_.insert(std::move(node)).position->second;
  }
  Thread thread;
  if (threads_.empty() || !has_whole_life_) {
    thread.process = id;
    thread.files = std::make_shared<DescriptorTable>(table_entries_);
  } else {
    thread.process = threads_.begin()->second.process;
    thread.files = threads_.begin()->second.files;
  }
  return threads_.insert_or_assign(id, std::move(thread)).first->second;
}

void StraceParser::add_child(uint32_t id, uint32_t parent_id, std::string_view flags) {
  const Thread& parent = threads_.at(parent_id);
  Thread child;
  child.process = has_strace_flag(flags, kSameProcess) ? parent.process : id;
  child.files = has_strace_flag(flags, kSameFiles) ? parent.files : parent.files->copy();
  threads_.insert_or_assign(id, std::move(child));
}

Result<void> StraceParser::remove_thread(uint32_t id) {
  auto forgotten = forget_call(id);
  threads_.erase(id);
  return forgotten;
}

Result<bool> StraceParser::whole_call(uint32_t id, LineKind kind, const StraceLine& line,
                                      std::string_view rest, int64_t start_ns, bool is_joined) {
  if (!is_joined && threads_.at(id).waiting) {
    SKL_TRY_DO(forget_call(id));
  }
  if (kind == LineKind::other) {
    if (!clock_.has_times()) clock_.pass(strace_duration_ns(rest));
    return true;
  }
  if (!text_.split_call(line.name, rest, call_)) return false;
  if (line.duration_ns >= 0) call_.duration_ns = line.duration_ns;
  if (is_joined && call_.duration_ns < 0 && clock_.has_times())
    call_.duration_ns = std::max<int64_t>(clock_.now_ns() - start_ns, 0);
  clock_.pass(call_.duration_ns);
  if (kind == LineKind::clone) {
    const bool is_new = call_.has_result && call_.result > 0 && call_.result <= INT32_MAX &&
                        has_room_for(static_cast<uint32_t>(call_.result)) &&
                        !threads_.contains(static_cast<uint32_t>(call_.result));
    if (is_new)
      add_child(static_cast<uint32_t>(call_.result), id, rest.substr(0, rest.rfind(" = ")));
    return true;
  }
  if (kind == LineKind::execve) {
    if (call_.has_result && call_.result == 0)
      threads_.at(id).files = threads_.at(id).files->copy_for_exec();
    return true;
  }
  // close was applied when it began; by now its number may belong to another file.
  if (is_joined && kind == LineKind::close) return true;
  const Thread& thread = threads_.at(id);
  return files_.apply({id, thread.process, *thread.files}, kind, call_, start_ns);
}

Result<void> StraceParser::begin_call(uint32_t id, LineKind kind, const StraceLine& line) {
  const std::string_view arguments = line.rest;
  SKL_TRY_DO(forget_call(id));
  if (kind == LineKind::other || arguments.size() > kMaxWaitingBytes ||
      arguments.size() > kMaxAllWaitingBytes - waiting_bytes_)
    return {};
  Thread& thread = threads_.at(id);
  text_.split_front(line.name, arguments, call_);
  SKL_TRY(const auto may_give,
          files_.apply_front({id, thread.process, *thread.files}, kind, call_));
  UnfinishedCall& waiting = thread.waiting.emplace();
  waiting.kind = kind;
  waiting.start_ns = clock_.now_ns();
  waiting.arguments = arguments;
  waiting_bytes_ += arguments.size();
  if (may_give) waiting.running = window_.call_begins(waiting.start_ns);
  if (kind == LineKind::clone) births_.insert(id);
  return {};
}

Result<bool> StraceParser::resume_call(uint32_t id, LineKind kind, const StraceLine& line) {
  const auto& waiting = threads_.at(id).waiting;
  // The trace may begin in the middle of a call.
  if (!waiting || waiting->kind != kind) return true;
  joined_ = waiting->arguments;
  // Between "3, " and " \"...\"" there must be no empty argument, and "a" and "b" must not merge.
  joined_ += line.rest;
  const int64_t start_ns = waiting->start_ns;
  const auto understood = whole_call(id, kind, line, joined_, start_ns, true);
  SKL_TRY_DO(forget_call(id));
  return understood;
}

Result<void> StraceParser::forget_call(uint32_t id) {
  births_.erase(id);
  const auto found = threads_.find(id);
  if (found == threads_.end() || !found->second.waiting) return {};
  const auto running = found->second.waiting->running;
  waiting_bytes_ -= found->second.waiting->arguments.size();
  found->second.waiting.reset();
  return running ? window_.call_ends(*running) : Result<void>{};
}

Result<void> StraceParser::finish(const std::string& file, bool lenient, ImportReport& report) {
  report.tells_reads = files_.has_seen_reads();
  if (!has_begun_) {
    SKL_TRY_DO(begin({}));
  }
  if (files_.loses_most() && !lenient)
    return damaged(
        {.file = file,
         .expected = "reads whose files the trace tells",
         .found = fmt::format("{} of {} reads of descriptors that were opened before it "
                              "began, or by a process that isn't told from others",
                              files_.unknown_reads(), files_.all_reads()),
         .advice = fmt::format("record with {}, which names the file of each descriptor; "
                               "--lenient goes on with the others",
                               dialect_.advice)});
  if (files_.unknown_reads() > 0)
    report.warnings.push_back(fmt::format(
        "{}: reads of descriptors whose opening isn't in the trace are left out: {} of {}; record "
        "with {} to know their files",
        file, files_.unknown_reads(), files_.all_reads(), dialect_.advice));
  if (files_.relative_opens() > 0)
    report.warnings.push_back(fmt::format(
        "{}: files opened by relative paths whose full path isn't known: {}; record with {}", file,
        files_.relative_opens(), dialect_.advice));
  if (files_.unseen_requests() > 0)
    report.warnings.push_back(fmt::format(
        "{}: the program reads by io_uring or libaio, whose reads strace doesn't show; calls that "
        "hand them over: {}; record with blktrace or biosnoop to see them",
        file, files_.unseen_requests()));
  return window_.finish();
}

class StraceText final : public CallText {
 public:
  StraceLine split_line(std::string_view text) override { return split_strace_line(text); }
  bool split_call(std::string_view, std::string_view rest, StraceCall& call) override {
    return split_strace_call(rest, call);
  }
  void split_front(std::string_view, std::string_view front, StraceCall& call) override {
    split_strace_front(front, call);
  }
  // "= 16" may be the front of "= 16384".
  bool may_be_whole(std::string_view text) const override {
    return text.ends_with('>') || text.ends_with("+++") || text.ends_with("---");
  }
};

bool looks_like_strace(std::string_view text) {
  const StraceLine line = split_strace_line(text);
  switch (line.kind) {
    case StraceLine::LineKind::call:
      return line.rest.find(") ") != std::string_view::npos &&
             line.rest.find("= ") != std::string_view::npos;
    case StraceLine::LineKind::unknown:
      return false;
    default:
      return true;
  }
}

bool recognise_strace(std::string_view front) {
  size_t lines = 0;
  size_t alike = 0;
  while (!front.empty() && lines < kLinesLookedAt) {
    const std::string_view text = take_line(front);
    if (text.empty()) continue;
    ++lines;
    if (looks_like_strace(text)) ++alike;
  }
  return lines > 0 && alike * 2 >= lines;
}

Result<void> parse_strace(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                          ImportReport& report) {
  StraceText text;
  return parse_calls(stream, text, {"strace", true, true, "strace -y"}, options, sink, report);
}

}  // namespace

const Dialect kStraceDialect = {
    "strace", "42 1795226612.464656 read(3</g/a.pak>, \"\"..., 512) = 512", recognise_strace,
    parse_strace, "'strace -f -ttt -y -T', without -e, records what is read of them"};

Result<void> parse_calls(ByteStream& stream, CallText& text, const CallDialect& dialect,
                         const ImportOptions& options, TraceSink& sink, ImportReport& report) {
  LineReader lines(stream);
  StraceParser parser(text, dialect, sink);
  Line line;
  for (;;) {
    SKL_TRY(const auto more, lines.next(line));
    if (!more) break;
    if (line.text.empty()) continue;
    const bool may_be_cut = !line.is_ended && !text.may_be_whole(line.text);
    SKL_TRY(const auto understood, line.is_cut || may_be_cut ? false : parser.line(line.text));
    if (understood) continue;
    if (line.is_ended)
      report.add_unparsed(line.number, line.text);
    else
      report.warnings.push_back(fmt::format(
          "{}: line {}: the last line is cut short, and is left out", stream.name(), line.number));
  }
  report.lines = lines.lines();
  return parser.finish(stream.name(), options.lenient, report);
}

}  // namespace seekless
