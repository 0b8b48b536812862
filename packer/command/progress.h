// A progress bar on standard error: share, rate and time left, for work of over a second. Nothing
// at all where standard error isn't a terminal.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace seekless {

class Progress {
 public:
  // `what` is a verb: "packing". The bar is drawn by a thread of its own until destruction.
  Progress(std::string what, uint64_t total_bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Takes the bar away; also done on destruction.
  void finish();

  // Grows as the work goes on; any thread may add.
  std::atomic<uint64_t>& done_bytes() { return done_bytes_; }

 private:
  void draw(const std::stop_token& stop);

  std::string what_;
  uint64_t total_bytes_;
  std::atomic<uint64_t> done_bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread drawing_;
};

// How many threads to use when the user doesn't say: one a core, at most 8, beyond which a disk
// gives no more and memory would be wasted. Those that read many files wait for a disk most of the
// time: 8, however few cores there are.
unsigned default_threads();
unsigned default_reading_threads();

}  // namespace seekless
