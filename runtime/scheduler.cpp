#include "runtime/scheduler.h"

#include <algorithm>
#include <array>
#include <string>

#include "runtime/media.h"

namespace seekless::runtime {
namespace {

constexpr uint64_t kMib = uint64_t{1} << 20;
constexpr size_t kNowhereBytes = size_t{64} * 1024;
constexpr size_t kMostParts = 64;
// Parts, the gaps between them, and both cut at kNowhereBytes.
constexpr size_t kMostPieces = 4 * kMostParts;
// From here on a hint is worth its call.
constexpr uint64_t kWorthAHintBytes = 128 * 1024;
// So many reads of less than so much, each with a seek, are worth a word: at 10 ms each, most of a
// second for what a sweep reads in 30 ms.
constexpr uint64_t kSmallReadBytes = 64 * 1024;
constexpr uint64_t kSmallReads = 64;

uint64_t id_of(const DeviceRead& read) {
  return reinterpret_cast<uintptr_t>(&read);
}
DeviceRead& read_of(const PickedPart& part) {
  return *reinterpret_cast<DeviceRead*>(static_cast<uintptr_t>(part.id));
}

}  // namespace

SchedulerOptions scheduler_options(bool is_rotational, const skl_context_options& wanted) {
  SchedulerOptions options;
  options.elevator.most_parts = kMostParts;
  options.elevator.seeks_cost = is_rotational;
  options.elevator.bypasses_per_second =
      wanted.bypasses_per_second != 0 ? wanted.bypasses_per_second : 50;
  // A gap of 1 MiB takes a disk 7 ms, a seek 8 or more. On solid media a read costs some 50 us,
  // in which 32 KiB and more go through.
  options.elevator.most_read_bytes = is_rotational ? 2 * kMib : kMib;
  options.elevator.gap_bytes = is_rotational ? kMib : 32 * 1024;
  options.elevator.notice_us = is_rotational ? 50'000 : 2'000;
  options.gives_hints = is_rotational;
  // A head serves one read at a time, and two threads would make it go to and fro.
  options.uses_uring = wanted.backend == SKL_BACKEND_URING ||
                       (wanted.backend == SKL_BACKEND_DETECT && !is_rotational);
  const uint32_t of_media = is_rotational ? 1 : options.uses_uring ? 16 : 4;
  options.depth = wanted.threads != 0 ? std::min<uint32_t>(wanted.threads, 64) : of_media;
  if (wanted.slow_read_ms != 0) options.slow_read_us = uint64_t{wanted.slow_read_ms} * 1000;
  return options;
}

// One read in flight, for one or more DeviceReads.
struct Scheduler::Operation {
  Operation() {
    pieces.reserve(kMostPieces);
    pick.parts.reserve(kMostParts);
  }
  IoRead io;
  Pick pick;
  std::vector<std::span<std::byte>> pieces;
  std::unique_ptr<std::array<std::byte, kNowhereBytes>> nowhere =
      std::make_unique<std::array<std::byte, kNowhereBytes>>();
  uint64_t began_us = 0;

  void add_piece(std::byte* into, uint64_t length_bytes) {
    if (into != nullptr) {
      pieces.emplace_back(into, length_bytes);
      return;
    }
    for (; length_bytes > 0; length_bytes -= pieces.back().size())
      pieces.push_back(std::span(*nowhere).first(std::min<uint64_t>(length_bytes, kNowhereBytes)));
  }

  // The elevator knows places on the device; files are read by offset.
  void prepare() {
    const DeviceRead& first = read_of(pick.parts.front());
    pieces.clear();
    io.file = first.file;
    io.offset_bytes = first.offset_bytes + (pick.place_bytes - first.place_bytes_);
    uint64_t at = pick.place_bytes;
    for (const PickedPart& part : pick.parts) {
      const DeviceRead& read = read_of(part);
      add_piece(nullptr, part.place_bytes - at);
      std::byte* into = read.into;
      if (into != nullptr) into += part.place_bytes - read.place_bytes_;
      add_piece(into, part.length_bytes);
      at = part.place_bytes + part.length_bytes;
    }
    io.pieces = pieces;
  }
};

Scheduler::Scheduler(const SchedulerOptions& options, Watch& watch)
    : options_(options), watch_(watch), elevator_(options.elevator) {}

Scheduler::~Scheduler() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    if (!is_started_) return;
    engine_->wake();
  }
  thread_.join();
}

void Scheduler::start() {
  if (is_started_) return;
  if (options_.uses_uring) engine_ = make_uring_engine(options_.depth);
  if (engine_ == nullptr) engine_ = make_threads_engine(options_.depth);
  operations_.clear();
  free_.clear();
  for (uint32_t i = 0; i < options_.depth; ++i) {
    operations_.push_back(std::make_unique<Operation>());
    free_.push_back(operations_.back().get());
  }
  again_.reserve(options_.depth * kMostParts);
  thread_ = std::jthread([this] { run(); });
  is_started_ = true;
}

void Scheduler::submit(DeviceRead& read) {
  const uint64_t place_bytes = read.file->place().start_bytes + read.offset_bytes;
  const std::lock_guard lock(mutex_);
  start();
  read.place_bytes_ = place_bytes;
  read.parts_in_flight_ = 0;
  read.is_cancelled_ = false;
  read.failure_.reset();
  elevator_.add({.id = id_of(read),
                 .file = reinterpret_cast<uintptr_t>(read.file),
                 .place_bytes = place_bytes,
                 .length_bytes = read.length_bytes,
                 .priority = read.priority,
                 .asked_us = now_us(),
                 .deadline_us = read.deadline_us,
                 .is_whole = read.is_whole});
  read.is_waiting_ = true;
  if (!is_sleeping_ || free_.empty()) return;
  engine_->wake();
  is_sleeping_ = false;
}

bool Scheduler::cancel(DeviceRead& read) {
  const std::lock_guard lock(mutex_);
  if (!read.is_waiting_ && read.parts_in_flight_ == 0) return false;
  read.is_cancelled_ = true;
  if (read.is_waiting_) elevator_.remove(id_of(read));
  read.is_waiting_ = false;
  settle(read);
  if (is_sleeping_) engine_->wake();
  is_sleeping_ = false;
  return true;
}

// Puts it among those that are over, if it is.
void Scheduler::settle(DeviceRead& read) {
  if (read.is_waiting_ || read.parts_in_flight_ > 0) return;
  read.next_ = nullptr;
  *over_end_ = &read;
  over_end_ = &read.next_;
}

void Scheduler::deliver(std::unique_lock<std::mutex>& lock) {
  while (over_ != nullptr) {
    DeviceRead* read = over_;
    over_ = nullptr;
    over_end_ = &over_;
    lock.unlock();
    while (read != nullptr) {
      DeviceRead* const next = read->next_;
      if (read->is_cancelled_)
        read->done(Error{SKL_CANCELLED, read->file->name() + ": cancelled"});
      else
        read->done(std::move(read->failure_));
      read = next;
    }
    lock.lock();
  }
}

// What to do next, if anything. Under the lock.
bool Scheduler::pick(Operation& operation) {
  Pick& pick = operation.pick;
  followed_by_ = nullptr;
  if (!again_.empty()) {
    const PickedPart part = again_.back().part;
    again_.pop_back();
    pick = {.file = reinterpret_cast<uintptr_t>(read_of(part).file),
            .place_bytes = part.place_bytes,
            .length_bytes = part.length_bytes,
            .is_seek = true,
            .parts = std::move(pick.parts)};
    pick.parts.assign(1, part);
    return true;
  }
  if (!elevator_.next(now_us(), pick)) return false;
  for (const PickedPart& part : pick.parts) {
    DeviceRead& read = read_of(part);
    ++read.parts_in_flight_;
    if (part.place_bytes + part.length_bytes == read.place_bytes_ + read.length_bytes)
      read.is_waiting_ = false;
  }
  const auto follows = options_.gives_hints ? elevator_.following() : std::nullopt;
  if (follows && !read_of(*follows).is_whole) {
    const DeviceRead& read = read_of(*follows);
    followed_by_ = read.file;
    followed_at_bytes_ = read.offset_bytes + (follows->place_bytes - read.place_bytes_);
    followed_length_bytes_ = follows->length_bytes;
  }
  return true;
}

// A range only once, and nothing before what is read now: a hint for a later one alone would send
// the head there first.
void Scheduler::announce(const File& file, uint64_t offset_bytes, uint64_t length_bytes) {
  const uint64_t end = offset_bytes + length_bytes;
  if (&file == announced_ && offset_bytes >= announced_from_bytes_ &&
      offset_bytes <= announced_to_bytes_) {
    offset_bytes = announced_to_bytes_;
    if (end <= offset_bytes) return;
  } else {
    announced_from_bytes_ = offset_bytes;
  }
  announced_ = &file;
  announced_to_bytes_ = end;
  file.will_need(offset_bytes, end - offset_bytes);
}

void Scheduler::begin(Operation& operation) {
  operation.prepare();
  operation.began_us = now_us();
  const Pick& pick = operation.pick;
  const bool is_worth_it = pick.length_bytes >= kWorthAHintBytes || followed_by_ != nullptr;
  if (options_.gives_hints && is_worth_it && !read_of(pick.parts.front()).is_whole) {
    announce(*operation.io.file, operation.io.offset_bytes, pick.length_bytes);
    if (followed_by_ != nullptr)
      announce(*followed_by_, followed_at_bytes_, followed_length_bytes_);
  }
  engine_->submit(operation.io);
}

void Scheduler::run() {
  std::vector<IoRead*> reaped(options_.depth);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (is_stopping_) drop_all();
    // The device first; then, while it is busy, what has come.
    while (!free_.empty() && pick(*free_.back())) {
      Operation& operation = *free_.back();
      free_.pop_back();
      lock.unlock();
      begin(operation);
      lock.lock();
    }
    deliver(lock);
    if (is_stopping_ && free_.size() == operations_.size() && elevator_.empty()) return;
    is_sleeping_ = over_ == nullptr && (free_.empty() || (elevator_.empty() && again_.empty()));
    const uint32_t timeout_ms = is_sleeping_ && !is_stopping_ ? IoEngine::kForEver : 0;
    const bool waits_for_reads = is_stopping_ && free_.size() < operations_.size();
    lock.unlock();
    const size_t count = engine_->reap(reaped, waits_for_reads ? IoEngine::kForEver : timeout_ms);
    for (size_t i = 0; i < count; ++i)
      for (const auto& operation : operations_)
        if (&operation->io == reaped[i]) finish(*operation);
    lock.lock();
    is_sleeping_ = false;
  }
}

void Scheduler::drop_all() {
  Pick pick;
  while (elevator_.next(0, pick))
    for (const PickedPart& part : pick.parts) {
      DeviceRead& read = read_of(part);
      elevator_.remove(part.id);
      read.is_cancelled_ = true;
      read.is_waiting_ = false;
      settle(read);
    }
  for (const Again& again : again_) {
    again.read->is_cancelled_ = true;
    --again.read->parts_in_flight_;
    settle(*again.read);
  }
  again_.clear();
}

void Scheduler::count(const Operation& operation, uint64_t took_us) {
  const Pick& pick = operation.pick;
  Counts& counts = watch_.counts;
  add(counts.reads);
  add(counts.read_bytes, pick.length_bytes);
  add(counts.gap_bytes, pick.gap_bytes);
  add(counts.coalesced_requests, pick.parts.size() - 1);
  if (pick.is_bypass) add(counts.bypasses);
  if (pick.is_seek)
    add(counts.seeks);
  else
    add(counts.sequential_bytes, pick.length_bytes);
  // Nothing but memory answers in 0.2 ms, or goes on at 1 GB/s, where seeks cost; elsewhere it is a
  // guess.
  if (took_us < 200 + pick.length_bytes / 1000) add(counts.cache_hits);
}

void Scheduler::note_size(const Operation& operation) {
  const Pick& pick = operation.pick;
  const bool is_small = pick.is_seek && pick.length_bytes < kSmallReadBytes;
  small_reads_ = is_small ? small_reads_ + 1 : 0;
  if (!options_.elevator.seeks_cost || small_reads_ < kSmallReads) return;
  watch_.sing(SKL_CANARY_SMALL_READS, read_of(pick.parts.front()).asset, operation.io.offset_bytes,
              0, small_reads_,
              operation.io.file->name() + ": " + std::to_string(small_reads_) +
                  " small reads one after the other, each with a seek");
  small_reads_ = 0;
}

void Scheduler::finish(Operation& operation) {
  const uint64_t took_us = now_us() - operation.began_us;
  const Pick& pick = operation.pick;
  std::optional<Error>& failure = operation.io.failure;
  count(operation, took_us);
  note_size(operation);
  if (took_us > options_.slow_read_us)
    watch_.sing(SKL_CANARY_SLOW_READ, read_of(pick.parts.front()).asset, operation.io.offset_bytes,
                took_us, 1,
                operation.io.file->name() + ": " + std::to_string(pick.length_bytes) +
                    " bytes took " + std::to_string(took_us / 1000) + " ms");

  const std::lock_guard lock(mutex_);
  // Of several, only those that the fault concerns shall fail.
  const bool parts_again = failure && pick.parts.size() > 1;
  for (const PickedPart& part : pick.parts) {
    DeviceRead& read = read_of(part);
    if (parts_again && !read.is_cancelled_) {
      again_.push_back({&read, part});
      continue;
    }
    --read.parts_in_flight_;
    if (failure && !read.failure_) {
      read.failure_ = *failure;
      if (failure->result == SKL_IO) add(watch_.counts.io_errors);
      if (read.is_waiting_) elevator_.remove(part.id);
      read.is_waiting_ = false;
    }
    settle(read);
  }
  free_.push_back(&operation);
}

Scheduler& Schedulers::of(const File& file) {
  const uint64_t device = file.place().device;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Scheduler>& scheduler = by_device_[device];
  if (scheduler == nullptr) {
    const bool rotates = options_.media == SKL_MEDIA_DETECT
                             ? is_rotational(device)
                             : options_.media == SKL_MEDIA_ROTATIONAL;
    scheduler = std::make_unique<Scheduler>(scheduler_options(rotates, options_), watch_);
  }
  return *scheduler;
}

void Schedulers::stop() {
  const std::lock_guard lock(mutex_);
  by_device_.clear();
}

}  // namespace seekless::runtime
