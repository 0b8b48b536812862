#include "runtime/recorder.h"

#include "runtime/thread.h"

namespace seekless::runtime {
namespace {

// The writer sleeps this long when idle. So does any thread that waits for the writer or for other
// threads, such as one that tries again to add an event that must not be lost. Polling costs the
// game's threads nothing; waking the writer would cost a system call.
constexpr std::chrono::milliseconds kPause{2};
// The amount written at a time, and the longest time between writes. A killed game loses the
// unwritten part.
constexpr size_t kWriteBytes = RecordedForm::kWriteBytes;
constexpr std::chrono::seconds kLongestWait{1};

}  // namespace

Recorder::Recorder(std::unique_ptr<RecordedForm>&& form, uint64_t ring_bytes, const Memory& memory)
    : form_(std::move(form)), ring_(ring_bytes, memory) {
  writer_ = start_thread([this] { write_down(); });
}

Recorder::~Recorder() {
  if (writer_.joinable()) (void)finish();
}

void Recorder::note(const RecordedEvent& event) {
  if (!ring_.push(event)) lost_events_.fetch_add(1, std::memory_order_relaxed);
}

void Recorder::mark(const std::string& scenario) {
  size_t number = 0;
  {
    const std::lock_guard lock(marking_);
    number = marks_.size();
    marks_.push_back(scenario);
  }
  const RecordedEvent event = {
      number, 0, 0, now_ns(), 0, number_of_thread(), RecordedEvent::Kind::mark};
  while (!ring_.push(event)) std::this_thread::sleep_for(kPause);
}

void Recorder::drain() const {
  const uint64_t until = ring_.pushed();
  while (taken_events_.load() < until) std::this_thread::sleep_for(kPause);
}

Result<void> Recorder::finish() {
  ends_.store(true);
  writer_.join();
  return std::move(written_);
}

// Continues after a failure: events that can't be written are counted as lost.
void Recorder::write_down() noexcept {
  auto last_written = std::chrono::steady_clock::now();
  for (;;) {
    const bool was_last = ends_.load();
    RecordedEvent event;
    while (ring_.pop(event)) {
      take(event);
      taken_events_.fetch_add(1);
      if (form_->unwritten_bytes() >= kWriteBytes) write_out(false);
    }
    const auto now = std::chrono::steady_clock::now();
    if (was_last) break;
    if (now - last_written >= kLongestWait && form_->unwritten_bytes() > 0) {
      write_out(false);
      last_written = now;
    }
    std::this_thread::sleep_for(kPause);
  }
  write_out(true);
}

void Recorder::take(const RecordedEvent& event) {
  const auto failed = failure_of([&]() -> Result<void> {
    if (event.kind == RecordedEvent::Kind::mark) return take_mark(event);
    if (auto added = form_->add(event); !added) return added;
    ++unwritten_events_;
    return {};
  });
  if (failed) lost_events_.fetch_add(1, std::memory_order_relaxed);
}

Result<void> Recorder::take_mark(const RecordedEvent& event) {
  std::string scenario;
  {
    const std::lock_guard lock(marking_);
    scenario = marks_[event.asset];
  }
  return form_->mark(scenario, event.start_ns);
}

// After a failure the game continues, and its later events are counted as lost.
void Recorder::write_out(bool is_last) {
  if (auto failed = failure_of([&] { return form_->write(is_last); }); failed && written_)
    written_ = std::unexpected(std::move(*failed));
  if (!written_) lost_events_.fetch_add(unwritten_events_, std::memory_order_relaxed);
  unwritten_events_ = 0;
}

void Recording::note(RecordedEvent event) const {
  event.thread = number_of_thread();
  const Readers::Guard guard(readers_);
  if (Recorder* recorder = recorder_.load()) recorder->note(event);
}

bool Recording::start(std::unique_ptr<Recorder> recorder) {
  const std::lock_guard lock(changing_);
  if (is_on()) return false;
  after_all_notes_ = std::make_unique<Readers::Retired>();
  recorder_.store(recorder.release());
  return true;
}

Result<void> Recording::mark(const std::string& scenario) const {
  const Readers::Guard guard(readers_);
  Recorder* recorder = recorder_.load();
  if (recorder == nullptr)
    return make_error(SKL_INVALID, {"recording: expected one going on, found none"});
  recorder->mark(scenario);
  return {};
}

void Recording::drain() const {
  if (!is_on()) return;
  const Readers::Guard guard(readers_);
  if (const Recorder* recorder = recorder_.load()) recorder->drain();
}

Result<uint64_t> Recording::stop() {
  const std::lock_guard lock(changing_);
  // From here on nothing may throw, because destructors call this, too.
  const std::unique_ptr<Recorder> recorder(recorder_.exchange(nullptr));
  if (!recorder) return make_error(SKL_INVALID, {"recording: expected one going on, found none"});
  // Threads that are in note() leave it soon.
  readers_.retire(std::move(after_all_notes_));
  while (readers_.waiting() != 0) std::this_thread::sleep_for(kPause);
  if (auto finished = recorder->finish(); !finished)
    return std::unexpected(std::move(finished.error()));
  return recorder->lost_events();
}

}  // namespace seekless::runtime
