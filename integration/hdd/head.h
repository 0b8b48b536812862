// The emulated disk's one head: a queue of reads, served one after another on a thread of its own.
// The model says how long each takes. Its data is fetched meanwhile, and returned when that time is
// over.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "integration/hdd/orders.h"
#include "packer/drive/command_queue.h"
#include "packer/drive/drive.h"

namespace seekless::hdd {

struct ServedRead {
  double start_ms = 0;  // on the drive's clock
  double busy_ms = 0;
  uint64_t position_bytes = 0;
  uint32_t length_bytes = 0;
};

struct HeadSettings {
  // Wall seconds for each second of the model: 1 is real time, 0.1 ten times as fast, 0 no waiting.
  double scale = 1;
  uint32_t queue_depth = 1;       // commands that the drive chooses from; at most kMaxQueueDepth
  uint32_t max_length_bytes = 0;  // limit for one read
  // True if the drive's clock also runs while no request waits: then its platter turns, and it
  // reads ahead. Otherwise it only runs in busy time. It has no effect with a scale of 0.
  bool counts_idle = false;
  // Called for each served read, in order, with times of the drive's clock; may be empty.
  std::function<void(const ServedRead&)> on_served = {};
};

class Head {
 public:
  using Clock = std::chrono::steady_clock;

  struct Read {
    uint64_t position_bytes = 0;
    uint32_t length_bytes = 0;
    void* tag = nullptr;  // the caller's value, returned with the answer
    Clock::time_point arrived = {};
  };

  // The head's thread calls both. Fetch fills all of the bytes and returns 0, or an errno.
  using Fetch = std::function<int(uint64_t position_bytes, std::span<std::byte> into)>;
  using Answer = std::function<void(void* tag, int os_error, std::span<const std::byte> bytes)>;

  struct Counters {
    Drive::Counters drive;  // busy_ms includes the time of slow faults
    Faults::Counters faults;
    uint64_t most_waiting = 0;  // most reads that waited at once, including the one being served
  };

  Head(const DriveProfile& profile, const HeadSettings& settings, Fetch fetch, Answer answer);
  // Requests that still wait are answered with ENOTCONN.
  ~Head();
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  // A read has at most max_length_bytes. Any thread may call any function here.
  void read(uint64_t position_bytes, uint32_t length_bytes, void* tag);
  void obey(const Order& order);
  Counters counters() const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  void serve_all();
  void serve_one(Lock& lock);
  void let_idle_time_pass();
  void pause_until(Lock& lock, Clock::time_point time);

  const DriveProfile profile_;
  const HeadSettings settings_;
  const Fetch fetch_;
  const Answer answer_;
  std::vector<std::byte> bytes_;

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable work_;
  std::condition_variable hurry_;
  Drive drive_;
  CommandQueue queue_;
  // Reads in the queue, and the one being served, by their ids in the queue.
  std::map<uint64_t, Read> reads_;
  uint64_t next_id_ = 0;
  Faults faults_;
  double slow_ms_ = 0;
  uint64_t most_waiting_ = 0;
  uint64_t hurries_ = 0;
  Clock::time_point free_at_ = {};  // when the drive finishes the last read
  Clock::time_point stuck_until_ = {};
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace seekless::hdd
