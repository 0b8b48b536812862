// One reader for each device: all that queues, sweeps and prefetches want of it goes through here,
// is put into order by the elevator and read by an I/O engine. Its threads are started with the
// first read. Finding and skl_read know nothing of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "runtime/elevator.h"
#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/io_engine.h"
#include "runtime/watch.h"

namespace seekless::runtime {

// A range that somebody wants read. It, its file and its memory stay until done() is called.
class DeviceRead {
 public:
  DeviceRead() = default;
  DeviceRead(const DeviceRead&) = delete;
  DeviceRead& operator=(const DeviceRead&) = delete;

  const File* file = nullptr;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // 1 or more
  std::byte* into = nullptr;  // null: nowhere but into the system's cache
  int32_t priority = SKL_PRIORITY_NORMAL;
  uint64_t deadline_us = 0;  // on now_us(); 0: none
  bool is_whole = false;     // by one read_at, however long
  skl_asset asset = 0;       // for canaries

  // On the scheduler's thread, without a lock, once for each submit. Nothing is written into the
  // memory any more. The read may be submitted again, or be gone when this returns.
  virtual void done(std::optional<Error> failure) = 0;

 protected:
  virtual ~DeviceRead() = default;

 private:
  friend class Scheduler;
  uint64_t place_bytes_ = 0;
  uint32_t parts_in_flight_ = 0;
  bool is_waiting_ = false;  // some of it, in the elevator
  bool is_cancelled_ = false;
  std::optional<Error> failure_;
  DeviceRead* next_ = nullptr;  // among those that are over
};

struct SchedulerOptions {
  ElevatorOptions elevator;
  uint32_t depth = 1;  // reads in flight
  bool uses_uring = false;
  bool gives_hints = true;  // tells the system what follows, so that a disk never rests
  uint64_t slow_read_us = 500'000;
};

// For a device of this kind, with what the context's creator wants otherwise.
SchedulerOptions scheduler_options(bool is_rotational, const skl_context_options& wanted);

class Scheduler {
 public:
  Scheduler(const SchedulerOptions& options, Watch& watch);
  // Cancels all that is left and waits until it is over.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Throws std::bad_alloc, or that the system gives no thread; then nothing of it is taken.
  void submit(DeviceRead& read);
  // Asks that it be over soon; done() comes in any case. False if it is over already, as far as
  // reading goes.
  bool cancel(DeviceRead& read);

 private:
  struct Operation;

  void start();
  void run();
  bool pick(Operation& operation);
  void begin(Operation& operation);
  void announce(const File& file, uint64_t offset_bytes, uint64_t length_bytes);
  void finish(Operation& operation);
  void settle(DeviceRead& read);
  void deliver(std::unique_lock<std::mutex>& lock);
  void count(const Operation& operation, uint64_t took_us);
  void note_size(const Operation& operation);
  void drop_all();

  const SchedulerOptions options_;
  Watch& watch_;

  std::mutex mutex_;
  Elevator elevator_;
  DeviceRead* over_ = nullptr;
  DeviceRead** over_end_ = &over_;
  bool is_sleeping_ = false;
  bool is_stopping_ = false;
  bool is_started_ = false;
  const File* followed_by_ = nullptr;  // what the elevator would read next
  uint64_t followed_at_bytes_ = 0;
  uint64_t followed_length_bytes_ = 0;

  // Of the scheduler's thread.
  std::unique_ptr<IoEngine> engine_;
  std::vector<std::unique_ptr<Operation>> operations_;
  std::vector<Operation*> free_;
  struct Again {
    DeviceRead* read;
    PickedPart part;
  };
  std::vector<Again> again_;  // parts of a read that failed, to be read one by one
  const File* announced_ = nullptr;
  uint64_t announced_from_bytes_ = 0;
  uint64_t announced_to_bytes_ = 0;
  uint64_t small_reads_ = 0;  // one after the other, each with a seek
  std::jthread thread_;
};

// The schedulers of a context, by device.
class Schedulers {
 public:
  Schedulers(const skl_context_options& options, Watch& watch) : options_(options), watch_(watch) {}

  Scheduler& of(const File& file);
  // Cancels everything; then no thread is left, and no read may be submitted.
  void stop();

 private:
  const skl_context_options options_;
  Watch& watch_;
  std::mutex mutex_;
  std::map<uint64_t, std::unique_ptr<Scheduler>> by_device_;
};

}  // namespace seekless::runtime
