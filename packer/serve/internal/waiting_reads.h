// Keeps reads of other processes waiting while a sweep is about to bring their data, a few at a
// time, each on a thread. The threads start with the first read.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "packer/serve/internal/reads_beside_sweep.h"

namespace seekless {

class WaitingReads {
 public:
  // Called once the read may be made. If `tells_of_end`, the sweep stands until ends() is called.
  using MayRead = std::function<void(bool tells_of_end)>;

  // `beside_sweep` must outlive this object.
  explicit WaitingReads(ReadsBesideSweep& beside_sweep) : beside_sweep_(beside_sweep) {}

  // Calls `may_read` on this thread or another, soon if no sweep is about to bring the pages.
  void add(std::vector<PageKey> pages, MayRead may_read);

 private:
  struct WaitingRead {
    std::vector<PageKey> pages;
    MayRead may_read;
  };
  void run(const std::stop_token& stop);

  ReadsBesideSweep& beside_sweep_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<WaitingRead> reads_;
  std::vector<std::jthread> threads_;
};

}  // namespace seekless
