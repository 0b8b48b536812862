#include "runtime/recorder.h"

#include <algorithm>
#include <new>
#include <optional>

#include <lz4frame.h>

#include "runtime/thread.h"

namespace seekless::runtime {
namespace {

// How long the writer sleeps when idle, and a producer of what must not be lost when it waits.
// Polling costs the game's threads nothing, where waking the writer would cost a system call.
constexpr std::chrono::milliseconds kPause{2};
// How much is written at a time, and after how long at the latest: a killed game loses the rest.
constexpr size_t kWriteBytes = size_t{64} << 10;
constexpr std::chrono::seconds kLongestWait{1};

uint32_t number_of_thread() {
  static std::atomic<uint32_t> threads = 0;
  thread_local const uint32_t number = ++threads;
  return number;
}

}  // namespace

// Linked blocks, as lines repeat what is up to 64 KiB back, and a checksum of the whole. Takes all
// of its memory at the start.
class TraceFrame {
 public:
  TraceFrame() {
    LZ4F_preferences_t preferences = {};
    preferences.frameInfo.blockMode = LZ4F_blockLinked;
    preferences.frameInfo.blockSizeID = LZ4F_max64KB;
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    packed_.resize(LZ4F_HEADER_SIZE_MAX + LZ4F_compressBound(kWriteBytes, &preferences) +
                   LZ4F_compressBound(0, &preferences));
    if (LZ4F_isError(LZ4F_createCompressionContext(&context_, LZ4F_VERSION)) != 0)
      throw std::bad_alloc();
    size_bytes_ = LZ4F_compressBegin(context_, packed_.data(), packed_.size(), &preferences);
    if (LZ4F_isError(size_bytes_) == 0) return;
    LZ4F_freeCompressionContext(context_);
    throw std::bad_alloc();
  }
  TraceFrame(const TraceFrame&) = delete;
  TraceFrame& operator=(const TraceFrame&) = delete;
  ~TraceFrame() { LZ4F_freeCompressionContext(context_); }

  // Adds the text to the file, so that all of it can be unpacked from there.
  Result<void> add(std::string_view text, bool is_last, OutputFile& file) {
    do {
      const std::string_view piece = text.substr(0, kWriteBytes);
      text.remove_prefix(piece.size());
      bool sound = put([&](char* to, size_t room) {
        return LZ4F_compressUpdate(context_, to, room, piece.data(), piece.size(), nullptr);
      });
      sound = sound && put([&](char* to, size_t room) {
                return is_last && text.empty() ? LZ4F_compressEnd(context_, to, room, nullptr)
                                               : LZ4F_flush(context_, to, room, nullptr);
              });
      if (!sound) return make_error(SKL_IO, {"recording: LZ4 can't pack the trace"});
      const auto packed = std::span(packed_).first(std::exchange(size_bytes_, 0));
      if (auto written = file.append(std::as_bytes(packed)); !written) return written;
    } while (!text.empty());
    return {};
  }

 private:
  template <typename Pack>
  bool put(Pack pack) {
    const size_t put = pack(packed_.data() + size_bytes_, packed_.size() - size_bytes_);
    if (LZ4F_isError(put) != 0) return false;
    size_bytes_ += put;
    return true;
  }

  LZ4F_cctx* context_ = nullptr;
  std::vector<char> packed_;
  size_t size_bytes_ = 0;  // of what isn't written yet
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
  lines_.text().reserve(2 * kWriteBytes);
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

// Goes on after a failure: what can't be written is lost, and counted.
void Recorder::write_down() noexcept {
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

void Recorder::take(const RecordedEvent& event) {
  const auto failed = failure_of([&]() -> Result<void> {
    if (event.kind == RecordedEvent::Kind::mark) {
      take_mark(event);
      return {};
    }
    const auto path = path_number(event.asset);
    if (!path) return std::unexpected(path.error());
    lines_.add(event, *path, zero_ns_);
    ++unwritten_events_;
    return {};
  });
  if (failed) lost_events_.fetch_add(1, std::memory_order_relaxed);
}

// Of its path, which is written down when it is first needed.
Result<uint32_t> Recorder::path_number(skl_asset asset) {
  if (const auto known = path_numbers_.find(asset); known != path_numbers_.end())
    return known->second;
  const auto path = names_.with(
      asset, [](const Mounted& mounted, uint32_t number) { return mounted.mount->path(number); });
  if (!path) return std::unexpected(path.error());
  const auto place = path_numbers_.emplace(asset, 0).first;
  try {
    return place->second = lines_.add_path(*path);
  } catch (...) {
    path_numbers_.erase(place);
    throw;
  }
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
void Recorder::write_out(bool is_last) {
  if (written_)
    if (auto failed = failure_of([&] { return frame_->add(lines_.text(), is_last, *file_); }))
      written_ = std::unexpected(std::move(*failed));
  if (!written_) lost_events_.fetch_add(unwritten_events_, std::memory_order_relaxed);
  unwritten_events_ = 0;
  lines_.text().clear();
}

void Recording::note(RecordedEvent event) const {
  event.thread = number_of_thread();
  const Readers::Guard guard(readers_);
  if (Recorder* recorder = recorder_.load()) recorder->note(event);
}

Result<void> Recording::start(std::unique_ptr<Recorder> recorder) {
  const std::lock_guard lock(changing_);
  if (is_on()) return make_error(SKL_INVALID, {"recording: expected none, found one going on"});
  after_all_notes_ = std::make_unique<Readers::Retired>();
  recorder_.store(recorder.release());
  return {};
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
  // From here on nothing may be thrown: destructors come here, too.
  const std::unique_ptr<Recorder> recorder(recorder_.exchange(nullptr));
  if (!recorder) return make_error(SKL_INVALID, {"recording: expected one going on, found none"});
  // Threads that are noting are done at once.
  readers_.retire(std::move(after_all_notes_));
  while (readers_.waiting() != 0) std::this_thread::sleep_for(kPause);
  if (auto finished = recorder->finish(); !finished)
    return std::unexpected(std::move(finished.error()));
  return recorder->lost_events();
}

}  // namespace seekless::runtime
