// One reader for each device: all that queues, sweeps and prefetches want of it goes through here,
// is put into order by the elevator and read by an I/O engine. Its threads are started with the
// first read. Finding and skl_read know nothing of it.
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
  bool is_passing = false;    // it needn't stay in that cache
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
  uint32_t depth = 1;               // reads in flight
  bool uses_system_engine = false;  // io_uring, completion ports
  bool has_threads = true;          // false: whoever pumps reads
  bool gives_hints = true;          // tells the system what follows, so that a disk never rests
  uint64_t slow_read_us = 500'000;
};

// For a device of this kind, with what the context's creator wants otherwise.
SchedulerOptions scheduler_options(bool is_rotational, const skl_context_options& wanted);

// How a device is read, and why.
struct DeviceMedia {
  bool is_rotational = true;
  skl_media_source source = SKL_MEDIA_SOURCE_UNKNOWN;
  skl_media said = SKL_MEDIA_DETECT;  // what the system says
};
DeviceMedia media_of(const File& file, skl_media wanted);

class Scheduler {
 public:
  // Reads as the options say, however long reads take.
  Scheduler(const SchedulerOptions& options, Watch& watch, const Memory& memory = {});
  // Reads as fits a device of this kind. If `wanted.media` is DETECT, that changes when the time of
  // reads shows that the device is of the other kind.
  Scheduler(const DeviceMedia& media, const skl_context_options& wanted, Watch& watch,
            const Memory& memory = {});
  // Cancels all that is left and waits until it is over.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Throws std::bad_alloc or NoThread; then nothing of it is taken.
  void submit(DeviceRead& read);
  // Asks that it end soon; done() is called in any case. False if it has ended already, as far as
  // reading goes.
  bool cancel(DeviceRead& read);
  // Of a read that was submitted; what is being read already isn't read any faster. False if it
  // stays as it was: it has ended, or there is no memory.
  bool reschedule(DeviceRead& read, int32_t priority, uint64_t deadline_us) noexcept;

  // Without threads: begins what the device can take, and takes what it has done, until `until_us`
  // or as long as something comes within `patience_ms`; at least one step. Calls done() of reads.
  enum class Pumped : uint8_t { idle, waits, more, busy };  // busy: another thread is at it
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
  // What reads for it: made in full before the old one is ended.
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
  void announce(const File& file, uint64_t offset_bytes, uint64_t length_bytes);
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
  bool is_changing_ = false;  // as soon as nothing is in flight
  uint64_t read_bytes_ = 0;
  Elevator elevator_;
  DeviceRead* over_ = nullptr;
  DeviceRead** over_end_ = &over_;
  bool is_sleeping_ = false;
  bool is_stopping_ = false;
  bool is_started_ = false;
  std::atomic<bool> is_pumped_ = false;  // by a thread that is at it
  const File* followed_by_ = nullptr;    // what the elevator would read next
  uint64_t followed_at_bytes_ = 0;
  uint64_t followed_length_bytes_ = 0;

  // For the scheduler's thread, which can't fail: its memory is taken before it starts.
  std::unique_ptr<IoEngine> engine_;
  Vector<Owned<Operation>> operations_;
  Vector<Operation*> free_;
  struct Again {
    DeviceRead* read;
    PickedPart part;
  };
  Vector<Again> again_;  // parts of a read that failed, to be read one by one
  Pick dropped_;
  const File* announced_ = nullptr;
  uint64_t announced_from_bytes_ = 0;
  uint64_t announced_to_bytes_ = 0;
  uint64_t small_reads_ = 0;    // one after the other, each with a seek
  uint64_t latest_end_us_ = 0;  // of a read
  std::jthread thread_;
};

// The schedulers of a context, by device.
class Schedulers {
 public:
  Schedulers(const skl_context_options& options, Watch& watch, const Memory& memory)
      : options_(options), watch_(watch), memory_(memory) {}

  Scheduler& of(const File& file);
  // Without threads: of all devices, as Scheduler::pump. No lock is held while it reads.
  Scheduler::Pumped pump(uint64_t until_us, uint32_t patience_ms) noexcept;
  // Of the device that most was read from; `devices`: how many there are.
  Scheduler::Report report(uint32_t& devices);
  // Cancels everything; then no thread is left, and no read may be submitted.
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
