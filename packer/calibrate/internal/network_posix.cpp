#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <ranges>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/calibrate/internal/network.h"
#include "packer/host/descriptor.h"
#include "packer/host/direct_file.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

constexpr uint64_t kLatencyBytes = 4096;
constexpr uint64_t kRateBytes = 64 << 10;
constexpr int kLatencyReads = 32;
constexpr uint64_t kMostAtOnce = 32;
constexpr int kLostMs = 5000;

using NetworkClock = std::chrono::steady_clock;

double seconds_since(NetworkClock::time_point begun) {
  return std::chrono::duration<double>(NetworkClock::now() - begun).count();
}

// Describes one message in the pipe. All but the last only say that a read has ended.
struct NetworkNews {
  enum class NewsKind : int { read, done, failed } kind = NewsKind::read;
  NetworkFigures figures;
  std::array<char, 512> why = {};
};

// Measures in a separate process. A process can't end while one of its threads waits for a read
// that is never answered.
class NetworkMeasuring {
 public:
  NetworkMeasuring(std::string file, double seconds, int news)
      : file_(std::move(file)), step_s_(seconds / 7), news_(news) {}

  Result<NetworkFigures> run() {
    const auto begun = NetworkClock::now();
    SKL_TRY_DO(open_one());
    pieces_ = files_.front().size_bytes() / kRateBytes;
    if (pieces_ == 0)
      return failed({.file = file_, .expected = "a file of 64 KiB or more", .found = "less"});
    SKL_TRY_DO(measure_latency());
    for (uint64_t at_once = 1; at_once <= kMostAtOnce; at_once *= 2) {
      while (files_.size() < at_once) SKL_TRY_DO(open_one());
      SKL_TRY(const double rate, rate_of(at_once));
      rates_.push_back(rate);
    }
    figures_.alone_bytes_per_s = rates_.front();
    figures_.bytes_per_s = std::ranges::max(rates_);
    for (uint64_t at_once = kMostAtOnce; const double rate : rates_ | std::views::reverse) {
      constexpr double kNearly = 0.9;
      if (rate >= figures_.bytes_per_s * kNearly) figures_.at_once = at_once;
      at_once /= 2;
    }
    figures_.reads = reads_;
    figures_.bytes = bytes_;
    figures_.seconds = seconds_since(begun);
    return figures_;
  }

 private:
  Result<void> open_one() {
    SKL_TRY(auto opened, DirectFile::open(file_, kRateBytes));
    files_.push_back(std::move(opened));
    return {};
  }

  Result<void> read(DirectFile& from, uint64_t place_bytes, uint64_t length_bytes) {
    SKL_TRY(const bool is_read, from.read(place_bytes, length_bytes));
    if (!is_read) return failed({.file = file_, .found = "a place that can't be read"});
    ++reads_;
    bytes_ += length_bytes;
    const NetworkNews news;
    [[maybe_unused]] const ssize_t put = ::write(news_, &news, sizeof(news));
    return {};
  }

  // Places are far apart, so that nothing reads ahead.
  uint64_t next_place() { return next_++ * 7919 % pieces_ * kRateBytes; }

  Result<void> measure_latency() {
    std::vector<double> took;
    for (int i = 0; i < kLatencyReads; ++i) {
      const auto begun = NetworkClock::now();
      SKL_TRY_DO(read(files_.front(), next_place(), kLatencyBytes));
      took.push_back(seconds_since(begun));
    }
    std::ranges::nth_element(took, took.begin() + kLatencyReads / 2);
    constexpr double kMsOfSecond = 1000;
    figures_.round_trip_ms = took[kLatencyReads / 2] * kMsOfSecond;
    return {};
  }

  Result<double> rate_of(uint64_t at_once) {
    const auto begun = NetworkClock::now();
    const uint64_t before = bytes_;
    std::vector<Result<void>> results(at_once);
    {
      std::vector<std::jthread> threads;
      for (uint64_t i = 0; i < at_once; ++i)
        threads.emplace_back([this, &result = results[i], &file = files_[i], begun] {
          do result = read(file, next_place(), kRateBytes);
          while (result && seconds_since(begun) < step_s_);
        });
    }
    for (const Result<void>& result : results)
      if (!result) return std::unexpected(result.error());
    return static_cast<double>(bytes_ - before) / seconds_since(begun);
  }

  const std::string file_;
  const double step_s_;
  const int news_;
  std::vector<DirectFile> files_;
  uint64_t pieces_ = 0;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> reads_ = 0;
  std::atomic<uint64_t> bytes_ = 0;
  std::vector<double> rates_;
  NetworkFigures figures_;
};

[[noreturn]] void measure_and_end(const std::string& file, double seconds, int to) {
  // Whoever reads this program's output mustn't wait for this process.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
  NetworkNews last;
  const auto say = [&](const Error& why) {
    last.kind = NetworkNews::NewsKind::failed;
    why.message.copy(last.why.data(), last.why.size() - 1);
  };
  try {
    if (const auto found = NetworkMeasuring(file, seconds, to).run(); found)
      last = {.kind = NetworkNews::NewsKind::done, .figures = *found};
    else
      say(found.error());
  } catch (const std::exception& exception) {
    say(to_error(exception));
  }
  [[maybe_unused]] const ssize_t put = ::write(to, &last, sizeof(last));
  ::_exit(0);
}

// Returns the last message; nothing if none came for too long, or if the process has ended.
std::optional<NetworkNews> last_news(int from) {
  for (;;) {
    pollfd waiting = {from, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kLostMs);
    if (ready < 0 && errno == EINTR) continue;
    NetworkNews news;
    // A message is small enough for a pipe to transfer it in one piece.
    if (ready <= 0 || ::read(from, &news, sizeof(news)) != sizeof(news)) return std::nullopt;
    if (news.kind != NetworkNews::NewsKind::read) return news;
  }
}

}  // namespace

Result<NetworkFigures> measure_network(const std::string& file, double seconds) {
  std::array<int, 2> pipe;
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return failed_call(file, "make a pipe for", errno);
  const Descriptor from(pipe[0]);
  const pid_t child = ::fork();
  if (child == 0) measure_and_end(file, seconds, pipe[1]);
  const int fork_error = errno;
  ::close(pipe[1]);
  if (child < 0) return failed_call(file, "start a process for", fork_error);
  const auto news = last_news(from.get());
  ::kill(child, SIGKILL);
  for (int tries = 0; ::waitpid(child, nullptr, WNOHANG) == 0 && tries < 100; ++tries)
    ::usleep(1000);
  if (!news)
    return failed({.file = file,
                   .expected = "an answer of its server within 5 s",
                   .found = "none",
                   .advice = "nothing was written; see if the network is up, and run it again"});
  if (news->kind == NetworkNews::NewsKind::failed)
    return std::unexpected(Error{ErrorKind::failed, news->why.data()});
  return news->figures;
}

}  // namespace seekless
