#include "packer/command/progress.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "packer/command/internal/live_line.h"
#include "packer/host/bytes_read.h"
#include "packer/host/files.h"
#include "packer/host/terminal.h"
#include "packer/words/counted.h"
#include "packer/words/progress_bar.h"

namespace seekless {
namespace {

double now_s() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Adds up the files' sizes. Returns 0 if one isn't a regular file, such as a pipe, whose size isn't
// known.
uint64_t size_of_all(const std::vector<std::string>& paths) {
  uint64_t bytes = 0;
  for (const std::string& path : paths) {
    if (path == "-" || kind_of_path(path) != PathKind::file) return 0;
    const auto source = open_source(path);
    if (!source) return 0;
    bytes += (*source)->size_bytes();
  }
  return bytes;
}

}  // namespace

// Draws the command's progress line from its unfinished stages.
class ProgressDrawer {
 public:
  ProgressDrawer(std::string command, ProgressFor whom)
      : command_(std::move(command)), began_s_(now_s()) {
    if (whom == ProgressFor::person)
      line_.emplace(std::chrono::milliseconds(200), [this] { return text(); });
  }

  void begin(const Progress* stage) {
    const std::lock_guard lock(mutex_);
    stages_.push_back(stage);
  }

  void end(const Progress* stage) {
    {
      const std::lock_guard lock(mutex_);
      std::erase(stages_, stage);
    }
    const auto hidden = hide();
  }

  [[nodiscard]] std::unique_lock<std::mutex> hide() {
    return line_ ? line_->hide() : std::unique_lock<std::mutex>();
  }

  ProgressNow now() {
    const std::lock_guard lock(mutex_);
    if (stages_.empty()) return {.what = command_, .seconds = now_s() - began_s_};
    const Progress& stage = *stages_.back();
    return {stage.what_, stage.done(), stage.total_bytes_,
            std::max(0.001, now_s() - stage.began_s_)};
  }

 private:
  std::string text() {
    const auto [what, done, total, seconds] = now();
    if (total > 0) return progress_bar(what, done, total, seconds);
    return done == 0 ? fmt::format("{}  {:.0f} s", what, seconds)
                     : fmt::format("{}  {:.0f} MB  {:.0f} s", what, megabytes(done), seconds);
  }

  const std::string command_;
  const double began_s_;
  std::mutex mutex_;
  std::vector<const Progress*> stages_;
  std::optional<LiveLine> line_;
};

namespace {

// Returns the line of the running command; null if nobody would see it.
std::unique_ptr<ProgressDrawer>& drawer() {
  static std::unique_ptr<ProgressDrawer> of_process;
  return of_process;
}

}  // namespace

ProgressLine::ProgressLine(std::string command, ProgressFor whom) {
  if (whom == ProgressFor::program || is_terminal(StandardStream::error))
    drawer() = std::make_unique<ProgressDrawer>(std::move(command), whom);
}

ProgressLine::~ProgressLine() {
  drawer().reset();
}

std::optional<ProgressNow> progress_now() {
  if (!drawer()) return std::nullopt;
  return drawer()->now();
}

std::unique_lock<std::mutex> hide_progress() {
  return drawer() ? drawer()->hide() : std::unique_lock<std::mutex>();
}

Progress::Progress(std::string what, uint64_t total_bytes)
    : Progress(std::move(what), total_bytes, false) {}

Progress::Progress(std::string what, uint64_t total_bytes, bool counts_reads)
    : what_(std::move(what)),
      total_bytes_(total_bytes),
      counts_reads_(counts_reads),
      read_before_(bytes_read()),
      began_s_(now_s()) {
  if (drawer()) drawer()->begin(this);
}

Progress Progress::of_reading(std::string what, const std::vector<std::string>& paths) {
  const uint64_t bytes = drawer() ? size_of_all(paths) : 0;
  return {std::move(what), bytes, true};
}

Progress::~Progress() {
  finish();
}

void Progress::finish() {
  if (drawer()) drawer()->end(this);
}

uint64_t Progress::done() const {
  return counts_reads_ ? bytes_read() - read_before_ : done_bytes_.load();
}

}  // namespace seekless
