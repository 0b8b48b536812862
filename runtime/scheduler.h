// There is one scheduler for each device. All reads by queues, sweeps and prefetches go through it:
// the elevator puts them into order, and an I/O engine reads them. Its threads start with the first
// read. Finding and skl_read don't use it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "runtime/elevator.h"
#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/io_engine.h"
#include "runtime/media_judge.h"
#include "runtime/memory.h"
#include "runtime/watch.h"

namespace seekless::runtime {

// A range to read. The read, its file and its memory must exist until done() is called.
class DeviceRead {
 public:
  DeviceRead() = default;
  DeviceRead(const DeviceRead&) = delete;
  DeviceRead& operator=(const DeviceRead&) = delete;

  const File* file = nullptr;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // at least 1
  std::byte* into = nullptr;  // null: only into the page cache
  bool is_passing = false;    // the bytes needn't stay in that cache
  int32_t priority = SKL_PRIORITY_NORMAL;
  uint64_t deadline_us = 0;  // on the clock of now_us(); 0: none
  bool is_whole = false;     // read by one read_at, however long
  skl_asset asset = 0;       // shown in canaries

  // Called on the scheduler's thread, without a lock, once for each submit. Afterwards nothing is
  // written into the memory. The function may submit the read again, or destroy it.
  virtual void done(std::optional<Error> failure) = 0;

 protected:
  virtual ~DeviceRead() = default;

 private:
  friend class Scheduler;
  uint64_t place_bytes_ = 0;
  uint32_t parts_in_flight_ = 0;
  bool is_waiting_ = false;  // true if a part of the read waits in the elevator
  bool is_cancelled_ = false;
  std::optional<Error> failure_;
  DeviceRead* next_ = nullptr;  // the next finished read
};

struct SchedulerOptions {
  ElevatorOptions elevator;
  uint32_t depth = 1;               // reads in flight
  bool uses_system_engine = false;  // uses io_uring or completion ports
  bool has_threads = true;          // false: the pumping thread reads
  bool gives_hints = true;          // hints at next reads, unless the system reads ahead by itself
  uint64_t slow_read_us = 500'000;
};

// Returns the options for a device of this kind, adjusted by the context's options.
SchedulerOptions scheduler_options(bool is_rotational, const skl_context_options& wanted);

// The medium that a device is read as, and the reason.
struct DeviceMedia {
  bool is_rotational = true;
  skl_media_source source = SKL_MEDIA_SOURCE_UNKNOWN;
  skl_media said = SKL_MEDIA_DETECT;  // the kind of the device, as the system reports it
};
DeviceMedia media_of(const File& file, skl_media wanted);

class Scheduler {
 public:
  // Always follows the options, however long reads take.
  Scheduler(const SchedulerOptions& options, Watch& watch, const Memory& memory = {});
  // Chooses the options for this kind of device. If `wanted.media` is DETECT, they change when the
  // time of reads shows that the device is of the other kind.
  Scheduler(const DeviceMedia& media, const skl_context_options& wanted, Watch& watch,
            const Memory& memory = {});
  // Cancels all remaining reads and waits until they have ended.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Throws std::bad_alloc or NoThread; then the read wasn't accepted.
  void submit(DeviceRead& read);
  // Makes the read end soon; done() is called in any case. Returns false if the read has already
  // ended.
  bool cancel(DeviceRead& read);
  // Changes a submitted read. A read in progress doesn't get faster. Returns false if nothing
  // changed, because the read has ended or there is no memory.
  bool reschedule(DeviceRead& read, int32_t priority, uint64_t deadline_us) noexcept;

  // For a scheduler without threads. Starts as many reads as the device can take and handles
  // finished ones, until `until_us`, or until none finishes within `patience_ms`. Does at least one
  // step. Calls done() of reads.
  enum class Pumped : uint8_t { idle, waits, more, busy };  // busy: another thread is pumping
  Pumped pump(uint64_t until_us, uint32_t patience_ms) noexcept;

  struct Report {
    uint64_t read_bytes = 0;
    DeviceMedia media;
    uint32_t changes = 0;
    uint64_t jumps = 0;
    uint64_t median_us = 0;
    uint32_t fast = 0;
    uint32_t slow = 0;
  };
  Report report();

 private:
  struct Operation;
  // The objects that do the reading. A new machine is complete before the old one is destroyed.
  struct Machine {
    std::unique_ptr<IoEngine> engine;
    Vector<Owned<Operation>> operations;
    Vector<Operation*> free;
  };

  Machine make_machine(const SchedulerOptions& options) const;
  void use(Machine machine);
  void start();
  void run() noexcept;
  size_t turn(std::unique_lock<std::mutex>& lock, uint32_t patience_ms);
  bool has_work() const;
  bool is_ended() const;
  bool pick(Operation& operation);
  void begin(Operation& operation);
  bool is_read_ahead(const File& file) const;
  void announce(const File& file, uint64_t offset_bytes, uint64_t length_bytes,
                uint64_t follows_to_bytes);
  void finish(Operation& operation);
  void settle(DeviceRead& read);
  size_t deliver(std::unique_lock<std::mutex>& lock);
  void count(const Operation& operation, uint64_t took_us);
  void judge(const Operation& operation, uint64_t took_us);
  void change_media(std::unique_lock<std::mutex>& lock);
  void note_size(const Operation& operation);
  void drop_all();

  SchedulerOptions options_;
  Watch& watch_;
  const Memory memory_;

  std::mutex mutex_;
  DeviceMedia media_;
  skl_context_options wanted_ = {};
  std::optional<MediaJudge> judge_;
  bool is_changing_ = false;  // a change waits until nothing is in flight
  uint64_t read_bytes_ = 0;
  Elevator elevator_;
  DeviceRead* over_ = nullptr;
  DeviceRead** over_end_ = &over_;
  bool is_sleeping_ = false;
  bool is_stopping_ = false;
  bool is_started_ = false;
  std::atomic<bool> is_pumped_ = false;  // a thread is pumping it
  const File* followed_by_ = nullptr;    // file of the range that the elevator would read next
  uint64_t followed_at_bytes_ = 0;
  uint64_t followed_length_bytes_ = 0;
  uint64_t adjoining_bytes_ = 0;  // wait right behind the current pick

  // For the scheduler's thread, which can't report errors, so its memory is allocated before it
  // starts.
  std::unique_ptr<IoEngine> engine_;
  Vector<Owned<Operation>> operations_;
  Vector<Operation*> free_;
  struct Again {
    DeviceRead* read;
    PickedPart part;
  };
  Vector<Again> again_;  // parts of a failed read, to be read one by one
  Pick dropped_;
  const File* announced_ = nullptr;
  uint64_t announced_from_bytes_ = 0;
  uint64_t announced_to_bytes_ = 0;
  uint64_t small_reads_ = 0;    // small reads in a row, each with a seek
  uint64_t latest_end_us_ = 0;  // when the latest read ended
  std::jthread thread_;
};

// The schedulers of a context, one for each device.
class Schedulers {
 public:
  Schedulers(const skl_context_options& options, Watch& watch, const Memory& memory)
      : options_(options), watch_(watch), memory_(memory) {}

  Scheduler& of(const File& file);
  // Pumps the schedulers of all devices; see Scheduler::pump. No lock is held while it reads.
  Scheduler::Pumped pump(uint64_t until_us, uint32_t patience_ms) noexcept;
  // Reports on the device that was read most; `devices` receives the number of devices.
  Scheduler::Report report(uint32_t& devices);
  // Cancels everything. Afterwards no thread is left, and no read may be submitted.
  void stop();

 private:
  const skl_context_options options_;
  Watch& watch_;
  const Memory memory_;
  std::mutex mutex_;
  std::map<uint64_t, Owned<Scheduler>, std::less<>,
           Allocator<std::pair<const uint64_t, Owned<Scheduler>>>>
      by_device_{memory_};
};

}  // namespace seekless::runtime
