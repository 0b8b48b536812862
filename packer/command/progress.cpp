#include "packer/command/progress.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "packer/host/in_parallel.h"
#include "packer/host/standard_streams.h"
#include "packer/host/terminal.h"

namespace seekless {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(200);
constexpr size_t kBarColumns = 24;
constexpr unsigned kMaxThreads = 8;

std::string line(const std::string& what, uint64_t done, uint64_t total, double seconds) {
  const double share =
      total == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<size_t>(share * kBarColumns);
  const double rate = static_cast<double>(done) / seconds;
  const double left = rate > 0 ? static_cast<double>(total - std::min(done, total)) / rate : 0;
  return fmt::format("{} [{:-<{}}] {:3.0f} %  {:.0f} MB/s  {:.0f} s left", what,
                     std::string(filled, '#'), kBarColumns, share * 100, rate / 1e6, left);
}

}  // namespace

Progress::Progress(std::string what, uint64_t total_bytes)
    : what_(std::move(what)), total_bytes_(total_bytes) {
  if (is_terminal(StandardStream::error))
    drawing_ = thread_to_do_without([this](const std::stop_token& stop) { draw(stop); });
}

Progress::~Progress() {
  finish();
}

void Progress::finish() {
  drawing_.request_stop();
  if (drawing_.joinable()) drawing_.join();
}

void Progress::draw(const std::stop_token& stop) {
  const auto start = Clock::now();
  bool drawn = false;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    stopping_.wait_for(lock, stop, kInterval, [] { return false; });
    const auto elapsed = Clock::now() - start;
    if (elapsed < kPatience) continue;
    const double seconds = std::chrono::duration<double>(elapsed).count();
    const std::string text = line(what_, done_bytes_.load(), total_bytes_, seconds);
    say(fmt::format("\r{:<{}.{}}", text, terminal_width() - 1, terminal_width() - 1));
    drawn = true;
  }
  if (drawn) say(fmt::format("\r{:{}}\r", "", terminal_width() - 1));
}

unsigned default_threads() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
}

unsigned default_reading_threads() {
  return kMaxThreads;
}

}  // namespace seekless
