#include "packer/record/recording.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/base/stop_thread.h"
#include "packer/host/machine.h"

namespace seekless {
namespace {

// Text is written to the file this often: if the recorder is killed, at most this much is lost.
constexpr auto kInterval = std::chrono::milliseconds(250);
// A call that takes longer, such as opening a pipe, no longer delays other events.
constexpr int64_t kPatienceNs = 1'000'000'000;
// With more text than this (some 500,000 events), events wait for the file.
constexpr size_t kMostTextBytes = size_t{8} << 20;

template <typename Clock>
int64_t clock_ns() {
  const auto since = Clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

}  // namespace

TraceHeader header_of(const std::string& scenario, const std::vector<std::string>& command) {
  TraceHeader header;
  header.scenario = scenario;
  header.command = fmt::format("{}", fmt::join(command, " "));
  header.machine = machine_and_system();
  return header;
}

Result<std::unique_ptr<Recording>> Recording::create(const std::string& path,
                                                     ImportOptions options) {
  if (path == "-")
    return wrong_usage({.file = path,
                        .expected = "a file: standard output belongs to the program",
                        .found = "'-'",
                        .advice = "name a file, or leave -o out: it is named after the program"});
  std::optional<Lz4Frame> frame;
  if (is_packed_trace(path)) {
    SKL_TRY(auto created, Lz4Frame::create());
    frame.emplace(std::move(created));
  }
  SKL_TRY(auto file, LiveFile::create(path));
  return std::unique_ptr<Recording>(
      new Recording(std::move(file), std::move(frame), std::move(options)));
}

Recording::~Recording() = default;

Result<void> Recording::begin(TraceHeader header) {
  SKL_TRY_DO(file_.begin());
  began_ns_ = clock_ns<std::chrono::steady_clock>();
  header.began_unix_ns = clock_ns<std::chrono::system_clock>();
  SKL_TRY_DO(filter_.begin(header));
  scenario_ = report_.scenario;
  std::string packed;
  if (frame_) {
    SKL_TRY_DO(frame_->begin(packed));
    SKL_TRY_DO(file_.append(packed));
  }
  SKL_TRY_DO(write_out(std::exchange(encoder_.text(), {})));
  writing_ = std::jthread([this](const std::stop_token& stop) {
    // An exception that leaves the thread would end the program.
    try {
      write_on(stop);
    } catch (const std::exception& exception) {
      const std::lock_guard lock(mutex_);
      note_failure(to_error(exception));
    }
  });
  return {};
}

int64_t Recording::now_ns() const {
  return clock_ns<std::chrono::steady_clock>() - began_ns_;
}

void Recording::give_way() {
  std::unique_lock lock(mutex_);
  if (encoder_.text().size() < kMostTextBytes) return;
  changed_.notify_all();
  changed_.wait(lock, [&] { return encoder_.text().size() < kMostTextBytes || has_failed(); });
}

// Notes a scenario that ends without a read.
void Recording::note_if_unread() {
  if (marked_ && report_.reads + report_.maps == reads_before_mark_)
    unread_marks_.push_back(*marked_);
  marked_.reset();
}

Result<void> Recording::mark(const std::string& scenario, bool begins) {
  const std::lock_guard lock(mutex_);
  // An event belongs to the scenario in which it began, and comes before the mark that ends the
  // scenario.
  SKL_TRY_DO(window_.finish());
  note_if_unread();
  if (begins) marked_ = scenario;
  reads_before_mark_ = report_.reads + report_.maps;
  auto marked = filter_.add_mark({now_ns(), begins ? scenario : scenario_, begins});
  scenario_ = begins ? scenario : report_.scenario;
  marks_ += begins ? 1 : 0;
  return marked;
}

Result<void> Recording::write_out(const std::string& text) {
  if (text.empty()) return {};
  if (!frame_) return file_.append(text);
  std::string packed;
  SKL_TRY_DO(frame_->add(text, packed));
  SKL_TRY_DO(frame_->flush(packed));
  return file_.append(packed);
}

void Recording::note_failure(const Error& error) {
  failure_ = error;
  has_failed_.store(true, std::memory_order_relaxed);
  encoder_.text().clear();
  changed_.notify_all();
}

void Recording::write_on(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested() && !failure_) {
    changed_.wait_for(lock, kInterval, [&] {
      return stop.stop_requested() || encoder_.text().size() >= kMostTextBytes;
    });
    auto released = window_.stop_waiting_before(now_ns() - kPatienceNs);
    encoder_.finish();
    const std::string text = std::exchange(encoder_.text(), {});
    changed_.notify_all();
    // Packing takes time; the recorded program must not wait for it.
    lock.unlock();
    auto written = released ? write_out(text) : released;
    lock.lock();
    if (!written) note_failure(written.error());
  }
}

Result<void> Recording::finish() {
  stop_thread(writing_, mutex_, changed_);
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  if (failure_) return std::unexpected(*failure_);
  SKL_TRY_DO(window_.finish());
  note_if_unread();
  encoder_.finish();
  SKL_TRY_DO(write_out(std::exchange(encoder_.text(), {})));
  if (frame_) {
    std::string packed;
    SKL_TRY_DO(frame_->end(packed));
    SKL_TRY_DO(file_.append(packed));
  }
  return file_.finish();
}

Recording::Figures Recording::figures() {
  const std::lock_guard lock(mutex_);
  return {report_.events, report_.read_bytes, static_cast<double>(now_ns()) / 1e9, scenario_,
          marks_};
}

}  // namespace seekless
