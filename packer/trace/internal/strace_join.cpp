#include "packer/trace/internal/strace_join.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/trace/internal/lines.h"
#include "packer/trace/internal/strace_line.h"
#include "packer/trace/internal/text_dialect.h"
#include "packer/trace/internal/unpack.h"

namespace seekless {
namespace {

// Each file stays open until its end; systems usually allow 1024 open files.
constexpr size_t kMaxFiles = 900;
constexpr size_t kReadBytes = size_t{32} << 10;

// Holds one thread's file, and its current line.
struct ThreadFile {
  std::unique_ptr<ByteStream> file;
  std::unique_ptr<ByteStream> plain;
  std::unique_ptr<LineReader> lines;
  std::string thread;
  std::string line;  // includes the line end, if there is one
  int64_t time_ns = 0;
};

Result<std::string> thread_of_name(const std::string& path) {
  std::string_view name = path;
  for (const std::string_view ending : {".gz", ".lz4", ".zip", ".zst"})
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  const std::string_view number = name.substr(std::min(name.rfind('.'), name.size() - 1) + 1);
  const auto thread = parse_whole_number(number);
  if (thread && *thread <= INT32_MAX) return std::string(number);
  return wrong_usage({.file = path,
                      .expected = "a name that ends in a thread's number, as strace -ff gives them",
                      .found = fmt::format("'{}'", number)});
}

class JoinedStream final : public ByteStream {
 public:
  explicit JoinedStream(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }

  Result<void> add(const std::string& path, std::vector<std::string>& warnings);
  Result<size_t> read(std::span<std::byte> into) override;

 private:
  using Place = std::pair<int64_t, size_t>;  // time of the part's line, and the part's index

  // Moves to the part's next line, or closes it at the end.
  Result<void> advance(size_t index);

  std::string name_;
  std::vector<ThreadFile> parts_;
  std::priority_queue<Place, std::vector<Place>, std::greater<>> next_;
  std::string pending_;
  size_t taken_ = 0;
};

Result<void> JoinedStream::add(const std::string& path, std::vector<std::string>& warnings) {
  ThreadFile part;
  SKL_TRY(auto thread, thread_of_name(path));
  part.thread = std::move(thread);
  SKL_TRY(auto file, open_piped_stream(path));
  part.file = std::move(file);
  SKL_TRY(auto plain, unpack(*part.file, warnings));
  part.plain = std::move(plain);
  part.lines = std::make_unique<LineReader>(*part.plain, LineReader::kLimitBytes, kReadBytes);
  parts_.push_back(std::move(part));
  return advance(parts_.size() - 1);
}

Result<void> JoinedStream::advance(size_t index) {
  ThreadFile& part = parts_[index];
  Line line;
  do {
    SKL_TRY(const auto more, part.lines->next(line));
    if (more) continue;
    part.lines.reset();
    part.plain.reset();
    part.file.reset();
    return {};
  } while (line.text.empty());
  const StraceLine split = split_strace_line(line.text);
  if (split.clock == StraceClock::time_of_day || split.clock == StraceClock::unix_time) {
    // Assumes that lines of a thread are less than half a day apart: a time of day that jumps back
    // belongs to the next day.
    constexpr int64_t kDayNs = int64_t{86400} * 1'000'000'000;
    int64_t time_ns = split.time_ns;
    if (split.clock == StraceClock::time_of_day)
      while (time_ns < part.time_ns - kDayNs / 2) time_ns += kDayNs;
    part.time_ns = time_ns;
  } else if (split.kind == StraceLine::LineKind::call ||
             split.kind == StraceLine::LineKind::unfinished ||
             split.kind == StraceLine::LineKind::resumed) {
    return damaged({.file = part.file->name(),
                    .place = fmt::format("line {}", line.number),
                    .expected = "a time on each line, to join the threads by",
                    .found = fmt::format("'{}'", line.text.substr(0, 60)),
                    .advice = "record with strace -ff -ttt"});
  }
  part.line = part.thread;
  part.line += ' ';
  part.line += line.text;
  if (line.is_ended) part.line += '\n';
  next_.emplace(part.time_ns, index);
  return {};
}

Result<size_t> JoinedStream::read(std::span<std::byte> into) {
  if (taken_ == pending_.size()) {
    pending_.clear();
    taken_ = 0;
  }
  while (pending_.size() < into.size() && !next_.empty()) {
    const size_t index = next_.top().second;
    next_.pop();
    pending_ += parts_[index].line;
    // A file that is cut in its last line must not garble the lines of other threads.
    if (!pending_.ends_with('\n') && !next_.empty()) pending_ += '\n';
    SKL_TRY_DO(advance(index));
  }
  const size_t count = std::min(into.size(), pending_.size() - taken_);
  std::memcpy(into.data(), pending_.data() + taken_, count);
  taken_ += count;
  return count;
}

}  // namespace

Result<std::unique_ptr<ByteStream>> join_strace(std::span<const std::string> paths,
                                                std::vector<std::string>& warnings) {
  if (paths.size() > kMaxFiles)
    return wrong_usage({.place = "--join",
                        .expected = fmt::format("at most {} files", kMaxFiles),
                        .found = fmt::format("{}", paths.size()),
                        .advice = "record with strace -f instead of -ff"});
  auto joined = std::make_unique<JoinedStream>(paths.empty() ? "" : joined_name(paths.front()));
  for (const std::string& path : paths) SKL_TRY_DO(joined->add(path, warnings));
  return joined;
}

std::string joined_name(const std::string& path) {
  const auto thread = thread_of_name(path);
  const size_t at = thread ? path.rfind("." + *thread) : std::string::npos;
  return at == std::string::npos || at == 0 ? path : path.substr(0, at);
}

}  // namespace seekless
