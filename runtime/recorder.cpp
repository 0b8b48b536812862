#include "runtime/recorder.h"

#include <algorithm>
#include <new>
#include <optional>

#include <lz4frame.h>

namespace seekless::runtime {
namespace {

// How long the writer sleeps when there is nothing to do, and producers of what must not be lost.
// Polling costs the game's threads nothing, where waking the writer would cost a system call.
constexpr std::chrono::milliseconds kPause{2};
// What is written at a time; and at the latest after so long, as a killed game leaves no more.
constexpr size_t kWriteBytes = size_t{64} << 10;
constexpr std::chrono::seconds kLongestWait{1};

uint32_t number_of_thread() {
  static std::atomic<uint32_t> threads = 0;
  thread_local const uint32_t number = ++threads;
  return number;
}

}  // namespace

// Linked blocks, as lines repeat what is up to 64 KiB back, and a checksum of the whole.
class TraceFrame {
 public:
  TraceFrame() {
    if (LZ4F_isError(LZ4F_createCompressionContext(&context_, LZ4F_VERSION)) != 0)
      throw std::bad_alloc();
    preferences_.frameInfo.blockMode = LZ4F_blockLinked;
    preferences_.frameInfo.blockSizeID = LZ4F_max64KB;
    preferences_.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  }
  TraceFrame(const TraceFrame&) = delete;
  TraceFrame& operator=(const TraceFrame&) = delete;
  ~TraceFrame() { LZ4F_freeCompressionContext(context_); }

  // Adds the text, and gives what can be unpacked of it so far.
  Result<std::string> add(std::string_view text, bool is_last) {
    std::string packed;
    const auto append = [&](size_t room, auto pack) {
      const size_t had = packed.size();
      packed.resize(had + room);
      const size_t put = pack(packed.data() + had, room);
      packed.resize(had + (LZ4F_isError(put) != 0 ? 0 : put));
      return LZ4F_isError(put) == 0;
    };
    bool sound = true;
    if (!std::exchange(has_begun_, true))
      sound = append(LZ4F_HEADER_SIZE_MAX, [&](char* to, size_t room) {
        return LZ4F_compressBegin(context_, to, room, &preferences_);
      });
    const size_t bound = LZ4F_compressBound(text.size(), &preferences_);
    sound = sound && append(bound, [&](char* to, size_t room) {
              return LZ4F_compressUpdate(context_, to, room, text.data(), text.size(), nullptr);
            });
    sound = sound && append(LZ4F_compressBound(0, &preferences_), [&](char* to, size_t room) {
              return is_last ? LZ4F_compressEnd(context_, to, room, nullptr)
                             : LZ4F_flush(context_, to, room, nullptr);
            });
    if (sound) return packed;
    return std::unexpected(Error{SKL_IO, "recording: LZ4 can't pack the trace"});
  }

 private:
  LZ4F_cctx* context_ = nullptr;
  LZ4F_preferences_t preferences_ = {};
  bool has_begun_ = false;
};

Recorder::Recorder(std::unique_ptr<OutputFile> file, const NameSpace& names, uint64_t ring_bytes,
                   const std::string& scenario, const Memory& memory)
    : names_(names),
      file_(std::move(file)),
      ring_(ring_bytes, memory),
      frame_(std::make_unique<TraceFrame>()) {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  lines_.begin(scenario, static_cast<uint64_t>(
                             std::chrono::duration_cast<std::chrono::microseconds>(wall).count()));
  writer_ = std::thread([this] { write_down(); });
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
  return written_;
}

void Recorder::write_down() {
  auto last_written = std::chrono::steady_clock::now();
  for (;;) {
    const bool was_last = ends_.load();
    RecordedEvent event;
    while (ring_.pop(event)) {
      take(event);
      taken_events_.fetch_add(1);
      if (lines_.text().size() >= kWriteBytes) write_out(false);
    }
    const auto now = std::chrono::steady_clock::now();
    if (was_last) break;
    if (now - last_written >= kLongestWait && !lines_.text().empty()) {
      write_out(false);
      last_written = now;
    }
    std::this_thread::sleep_for(kPause);
  }
  write_out(true);
}

void Recorder::take(const RecordedEvent& event) try {
  if (event.kind == RecordedEvent::Kind::mark) return take_mark(event);
  auto known = path_numbers_.find(event.asset);
  if (known == path_numbers_.end()) {
    const auto path = names_.with(event.asset, [](const Mounted& mounted, uint32_t number) {
      return mounted.mount->path(number);
    });
    if (!path) {
      lost_events_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    known = path_numbers_.emplace(event.asset, lines_.add_path(*path)).first;
  }
  lines_.add(event, known->second, zero_ns_);
  ++unwritten_events_;
} catch (const std::bad_alloc&) {
  lost_events_.fetch_add(1, std::memory_order_relaxed);
}

void Recorder::take_mark(const RecordedEvent& event) {
  std::string scenario;
  {
    const std::lock_guard lock(marking_);
    scenario = marks_[event.asset];
  }
  const int64_t time_us = (event.start_ns - zero_ns_) / 1000;
  if (!scenario.empty()) {
    lines_.add_mark(scenario, true, time_us);
  } else if (!scenario_.empty()) {
    lines_.add_mark(scenario_, false, time_us);
  }
  scenario_ = std::move(scenario);
}

// After a failure the game goes on; what it reads is lost, and counted.
void Recorder::write_out(bool is_last) try {
  if (written_) {
    auto packed = frame_->add(lines_.text(), is_last);
    written_ = packed ? file_->append(std::as_bytes(std::span(*packed)))
                      : Result<void>(std::unexpected(packed.error()));
  }
  if (!written_) lost_events_.fetch_add(unwritten_events_, std::memory_order_relaxed);
  unwritten_events_ = 0;
  lines_.text().clear();
} catch (const std::bad_alloc&) {
  written_ = std::unexpected(Error{SKL_OUT_OF_MEMORY, "out of memory"});
}

void Recording::note(RecordedEvent event) const {
  event.thread = number_of_thread();
  const Readers::Guard guard(readers_);
  if (Recorder* recorder = recorder_.load()) recorder->note(event);
}

Result<void> Recording::start(std::unique_ptr<Recorder> recorder) {
  const std::lock_guard lock(changing_);
  if (is_on())
    return std::unexpected(Error{SKL_INVALID, "recording: expected none, found one going on"});
  after_all_notes_ = std::make_unique<Readers::Retired>();
  recorder_.store(recorder.release());
  return {};
}

Result<void> Recording::mark(const std::string& scenario) const {
  const Readers::Guard guard(readers_);
  Recorder* recorder = recorder_.load();
  if (recorder == nullptr)
    return std::unexpected(Error{SKL_INVALID, "recording: expected one going on, found none"});
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
  const std::unique_ptr<Recorder> recorder(recorder_.exchange(nullptr));
  if (!recorder)
    return std::unexpected(Error{SKL_INVALID, "recording: expected one going on, found none"});
  // Those who are noting are done at once.
  readers_.retire(std::move(after_all_notes_));
  while (readers_.waiting() != 0) std::this_thread::sleep_for(kPause);
  if (auto finished = recorder->finish(); !finished) return std::unexpected(finished.error());
  return recorder->lost_events();
}

}  // namespace seekless::runtime
