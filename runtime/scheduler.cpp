#include "runtime/scheduler.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/short_text.h"
#include "runtime/thread.h"

namespace seekless::runtime {
namespace {

constexpr uint64_t kMib = uint64_t{1} << 20;
// Aligned like the memory of blocks, so that a read into both may be unbuffered.
struct alignas(4096) NowherePage {
  std::array<std::byte, 4096> bytes;
};
constexpr size_t kNowherePages = 16;
constexpr size_t kNowhereBytes = kNowherePages * sizeof(NowherePage);
constexpr size_t kMostParts = 64;
constexpr uint32_t kMostDepth = 64;
// Enough for all parts, the gaps between them, and both cut into pieces of kNowhereBytes.
constexpr size_t kMostPieces = 4 * kMostParts;
// A hint for fewer bytes isn't worth its call.
constexpr uint64_t kWorthAHintBytes = 128 * 1024;
// The minimum that is still announced to the device when a read is done: 1 to 2 ms of a disk's
// transfer, enough to send the next read.
constexpr uint64_t kLeastAheadBytes = 256 * 1024;
// If at least this much waits right behind a read, the system reads ahead by itself, with fewer and
// longer commands than hints cause. It would also read beyond the end of the stretch, so the last
// part gets hints, and isn't read again.
constexpr uint64_t kLongStretchBytes = 4 * kMib;
// This many reads below this size in a row, each with a seek, cause a warning: at 10 ms each, they
// take most of a second for bytes that a sweep reads in 30 ms.
constexpr uint64_t kSmallReadBytes = 64 * 1024;
constexpr uint64_t kSmallReads = 64;
// Size limit of a read that measures a jump. The rest of the range is read next, without another
// jump.
constexpr uint64_t kTellingBytes = 64 * 1024;

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
  // Other programs wait for the reads that were sent before theirs: up to this size for one read,
  // and as many announced bytes.
  options.elevator.most_read_bytes = kMib;
  // A disk takes 7 ms to read a gap of 1 MiB, and 8 ms or more to seek. On an SSD a read costs
  // about 50 us, the time to transfer at least 32 KiB.
  options.elevator.gap_bytes = is_rotational ? kMib : 32 * 1024;
  options.elevator.notice_us = is_rotational ? 50'000 : 2'000;
  options.gives_hints = is_rotational;
  const SystemEngine own = system_engine();
  options.uses_system_engine =
      wanted.backend == own.backend ||
      (wanted.backend == SKL_BACKEND_DETECT && (!is_rotational || own.disk_depth > 0));
  // A disk serves one read at a time, and two threads would make its head move back and forth.
  const uint32_t of_disk = options.uses_system_engine ? std::max(own.disk_depth, 1U) : 1;
  const uint32_t of_media = is_rotational ? of_disk : options.uses_system_engine ? 16 : 4;
  options.depth = wanted.threads != 0 ? std::min(wanted.threads, kMostDepth) : of_media;
  if (wanted.backend == SKL_BACKEND_PUMP) {
    // Hints may wait for the device, so none are given. Instead, the disk has a second read to
    // continue with between two calls of the pump.
    options.gives_hints = options.has_threads = false;
    options.uses_system_engine = true;
    if (wanted.threads == 0) options.depth = is_rotational ? 2 : 16;
  }
  if (wanted.slow_read_ms != 0) options.slow_read_us = uint64_t{wanted.slow_read_ms} * 1000;
  return options;
}

// One read in flight, which serves one or more DeviceReads.
struct Scheduler::Operation {
  explicit Operation(const Memory& memory)
      : pick{.parts = Vector<PickedPart>(memory)}, pieces(memory), nowhere(kNowherePages, memory) {
    pieces.reserve(kMostPieces);
    pick.parts.reserve(kMostParts);
  }
  IoRead io;
  Pick pick;
  Vector<std::span<std::byte>> pieces;
  Vector<NowherePage> nowhere;
  uint64_t began_us = 0;

  void add_piece(std::byte* into, uint64_t length_bytes) {
    if (into != nullptr) {
      pieces.emplace_back(into, length_bytes);
      return;
    }
    const std::span<std::byte> room = std::as_writable_bytes(std::span(nowhere));
    for (; length_bytes > 0; length_bytes -= pieces.back().size())
      pieces.push_back(room.first(std::min<uint64_t>(length_bytes, kNowhereBytes)));
  }

  // Converts places on the device, which the elevator uses, to offsets in the file.
  void prepare() {
    const DeviceRead& first = read_of(pick.parts.front());
    pieces.clear();
    io.file = first.file;
    io.offset_bytes = first.offset_bytes + (pick.place_bytes - first.place_bytes_);
    io.is_passing = true;
    uint64_t at = pick.place_bytes;
    for (const PickedPart& part : pick.parts) {
      const DeviceRead& read = read_of(part);
      io.is_passing = io.is_passing && read.is_passing;
      add_piece(nullptr, part.place_bytes - at);
      std::byte* into = read.into;
      if (into != nullptr) into += part.place_bytes - read.place_bytes_;
      add_piece(into, part.length_bytes);
      at = part.place_bytes + part.length_bytes;
    }
    io.pieces = pieces;
  }
};

// If the system doesn't say (network, overlays), the device counts as rotational, because sorted
// reads cost an SSD little, and unsorted reads cost a disk much.
DeviceMedia media_of(const File& file, skl_media wanted) {
  if (wanted != SKL_MEDIA_DETECT)
    return {wanted == SKL_MEDIA_ROTATIONAL, SKL_MEDIA_SOURCE_OPTIONS, SKL_MEDIA_DETECT};
  const FilePlace place = file.place();
  if (place.is_memory) return {false, SKL_MEDIA_SOURCE_SYSTEM, SKL_MEDIA_SOLID};
  const std::optional<bool> rotates = file.says_rotational();
  if (!rotates) return {true, SKL_MEDIA_SOURCE_UNKNOWN, SKL_MEDIA_DETECT};
  return {*rotates, SKL_MEDIA_SOURCE_SYSTEM, *rotates ? SKL_MEDIA_ROTATIONAL : SKL_MEDIA_SOLID};
}

Scheduler::Scheduler(const SchedulerOptions& options, Watch& watch, const Memory& memory)
    : options_(options),
      watch_(watch),
      memory_(memory),
      elevator_(options.elevator, memory),
      operations_(memory),
      free_(memory),
      again_(memory),
      dropped_{.parts = Vector<PickedPart>(memory)} {}

Scheduler::Scheduler(const DeviceMedia& media, const skl_context_options& wanted, Watch& watch,
                     const Memory& memory)
    : Scheduler(scheduler_options(media.is_rotational, wanted), watch, memory) {
  media_ = media;
  wanted_ = wanted;
  if (wanted.media == SKL_MEDIA_DETECT) judge_.emplace(media.is_rotational);
}

Scheduler::~Scheduler() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    if (!is_started_) return;
    engine_->wake();
  }
  if (thread_.joinable())
    thread_.join();
  else
    run();
}

Scheduler::Machine Scheduler::make_machine(const SchedulerOptions& options) const {
  Machine machine = {nullptr, Vector<Owned<Operation>>(memory_), Vector<Operation*>(memory_)};
  if (options.uses_system_engine)
    machine.engine = make_system_engine(options.depth, options.has_threads);
  if (machine.engine == nullptr)
    machine.engine =
        options.has_threads ? make_threads_engine(options.depth) : make_inline_engine();
  // Smaller than requested if the system starts fewer threads.
  const uint32_t depth = machine.engine->depth();
  machine.operations.reserve(depth);
  machine.free.reserve(depth);
  for (uint32_t i = 0; i < depth; ++i)
    machine.free.push_back(
        machine.operations.emplace_back(make_owned<Operation>(memory_, memory_)).get());
  return machine;
}

void Scheduler::use(Machine machine) {
  engine_ = std::move(machine.engine);
  operations_ = std::move(machine.operations);
  free_ = std::move(machine.free);
}

void Scheduler::start() {
  if (is_started_) return;
  // The capacity is enough for any kind of device.
  again_.reserve(kMostDepth * kMostParts);
  dropped_.parts.reserve(kMostParts);
  use(make_machine(options_));
  if (options_.has_threads) thread_ = start_thread([this] { run(); });
  is_started_ = true;
}

void Scheduler::submit(DeviceRead& read) {
  const FilePlace place = read.file->place();
  const uint64_t place_bytes = place.start_bytes + read.offset_bytes;
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
                 .is_whole = read.is_whole,
                 .is_placed = place.is_known});
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

bool Scheduler::reschedule(DeviceRead& read, int32_t priority, uint64_t deadline_us) noexcept {
  const std::lock_guard lock(mutex_);
  if (!read.is_waiting_) return read.parts_in_flight_ > 0;
  try {
    return elevator_.reschedule(id_of(read), priority, deadline_us, now_us());
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Moves the read to the finished ones if it is finished.
void Scheduler::settle(DeviceRead& read) {
  if (read.is_waiting_ || read.parts_in_flight_ > 0) return;
  read.next_ = nullptr;
  *over_end_ = &read;
  over_end_ = &read.next_;
}

size_t Scheduler::deliver(std::unique_lock<std::mutex>& lock) {
  size_t count = 0;
  while (over_ != nullptr) {
    DeviceRead* read = over_;
    over_ = nullptr;
    over_end_ = &over_;
    lock.unlock();
    while (read != nullptr) {
      DeviceRead* const next = read->next_;
      if (read->is_cancelled_)
        read->done(Error{SKL_CANCELLED, {}});
      else
        read->done(std::move(read->failure_));
      read = next;
      ++count;
    }
    lock.lock();
  }
  return count;
}

// Picks the next read, if there is any. Call it under the lock.
bool Scheduler::pick(Operation& operation) {
  Pick& pick = operation.pick;
  followed_by_ = nullptr;
  adjoining_bytes_ = 0;
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
  Elevator::Cut cut;
  if (judge_ && judge_->needs_short_reads()) cut = {MediaJudge::kFarBytes, kTellingBytes};
  if (!elevator_.next(now_us(), pick, cut)) return false;
  for (const PickedPart& part : pick.parts) {
    DeviceRead& read = read_of(part);
    ++read.parts_in_flight_;
    if (part.place_bytes + part.length_bytes == read.place_bytes_ + read.length_bytes)
      read.is_waiting_ = false;
  }
  if (options_.gives_hints) adjoining_bytes_ = elevator_.adjoining_bytes(kLongStretchBytes);
  const auto follows = options_.gives_hints ? elevator_.following() : std::nullopt;
  if (follows && !read_of(*follows).is_whole) {
    const DeviceRead& read = read_of(*follows);
    followed_by_ = read.file;
    followed_at_bytes_ = read.offset_bytes + (follows->place_bytes - read.place_bytes_);
    followed_length_bytes_ = follows->length_bytes;
  }
  return true;
}

// Announces each range only once, and starts at the current read: a hint for only a later range
// would send the head there first. The bytes after the current read, up to `follows_to_bytes`, are
// announced in whole device commands; the last part is announced with the next read. If that leaves
// the device too little to read, all of it is announced.
void Scheduler::announce(const File& file, uint64_t offset_bytes, uint64_t length_bytes,
                         uint64_t follows_to_bytes) {
  const uint64_t end = offset_bytes + length_bytes;
  uint64_t from = offset_bytes;
  if (&file == announced_ && offset_bytes >= announced_from_bytes_ &&
      offset_bytes <= announced_to_bytes_)
    from = announced_to_bytes_;
  else
    announced_from_bytes_ = offset_bytes;
  const uint64_t to = std::max(end, follows_to_bytes);
  if (to <= from) return;
  const uint64_t command = file.read_ahead().longest_hint_bytes;
  const uint64_t whole = from + (to - from) / command * command;
  announced_ = &file;
  announced_to_bytes_ = whole >= end + kLeastAheadBytes ? whole : to;
  if (announced_to_bytes_ > from) file.will_need(from, announced_to_bytes_ - from);
}

// Returns whether the system itself reads on after the current pick, with commands as long as the
// reads, and not further than the hints at the stretch's end reach.
bool Scheduler::is_read_ahead(const File& file) const {
  return adjoining_bytes_ >= kLongStretchBytes &&
         file.read_ahead().window_bytes == options_.elevator.most_read_bytes;
}

void Scheduler::begin(Operation& operation) {
  operation.prepare();
  operation.began_us = now_us();
  const Pick& pick = operation.pick;
  // A hint would make this thread wait for the device, and the waiting time couldn't be measured.
  const bool is_telling = judge_ && judge_->needs_short_reads() &&
                          pick.jump_bytes >= MediaJudge::kFarBytes &&
                          pick.length_bytes <= kTellingBytes;
  const bool is_worth_it =
      !is_telling && (pick.length_bytes >= kWorthAHintBytes || followed_by_ != nullptr);
  if (options_.gives_hints && is_worth_it && !read_of(pick.parts.front()).is_whole &&
      !is_read_ahead(*operation.io.file)) {
    const uint64_t end = operation.io.offset_bytes + pick.length_bytes;
    const bool goes_on = followed_by_ == operation.io.file && followed_at_bytes_ == end;
    announce(*operation.io.file, operation.io.offset_bytes, pick.length_bytes,
             goes_on ? end + followed_length_bytes_ : end);
    if (followed_by_ != nullptr && !goes_on)
      announce(*followed_by_, followed_at_bytes_, followed_length_bytes_, 0);
  }
  engine_->submit(operation.io);
}

void Scheduler::run() noexcept {
  std::unique_lock lock(mutex_);
  while (!is_ended()) turn(lock, IoEngine::kForEver);
}

bool Scheduler::is_ended() const {
  return is_stopping_ && !has_work();
}

bool Scheduler::has_work() const {
  return over_ != nullptr || free_.size() < operations_.size() || !elevator_.empty() ||
         !again_.empty();
}

// Returns the amount of work done. Sleeps for up to `patience_ms` if there was none.
size_t Scheduler::turn(std::unique_lock<std::mutex>& lock, uint32_t patience_ms) {
  std::array<IoRead*, kMostDepth> reaped;
  if (is_stopping_) drop_all();
  if (is_changing_ && !is_stopping_ && free_.size() == operations_.size()) change_media(lock);
  size_t count = 0;
  // Starts reads first; then, while the device is busy, handles finished reads.
  while (!is_changing_ && !free_.empty() && pick(*free_.back())) {
    Operation& operation = *free_.back();
    free_.pop_back();
    lock.unlock();
    begin(operation);
    lock.lock();
    ++count;
  }
  count += deliver(lock);
  if (is_ended()) return count;
  is_sleeping_ = over_ == nullptr && (free_.empty() || (elevator_.empty() && again_.empty()));
  const bool waits_for_reads = (is_stopping_ || is_changing_) && free_.size() < operations_.size();
  uint32_t timeout_ms = 0;
  if (waits_for_reads || (is_sleeping_ && !is_stopping_))
    timeout_ms = is_stopping_ ? IoEngine::kForEver : patience_ms;
  lock.unlock();
  const size_t done = engine_->reap(reaped, timeout_ms);
  for (size_t i = 0; i < done; ++i)
    for (const auto& operation : operations_)
      if (&operation->io == reaped[i]) finish(*operation);
  lock.lock();
  is_sleeping_ = false;
  return count + done;
}

Scheduler::Pumped Scheduler::pump(uint64_t until_us, uint32_t patience_ms) noexcept {
  if (is_pumped_.exchange(true)) return Pumped::busy;
  Pumped pumped = Pumped::idle;
  {
    std::unique_lock lock(mutex_);
    size_t count = 1;
    while (is_started_ && has_work() && count > 0) {
      count = turn(lock, patience_ms);
      if (now_us() >= until_us) break;
    }
    if (is_started_ && has_work()) pumped = count > 0 ? Pumped::more : Pumped::waits;
  }
  is_pumped_.store(false);
  return pumped;
}

void Scheduler::drop_all() {
  while (elevator_.next(0, dropped_))
    for (const PickedPart& part : dropped_.parts) {
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
  // If the device is a disk, such fast reads (0.2 ms, or 1 GB/s) must come from memory; on other
  // devices this is a guess.
  if (took_us < 200 + pick.length_bytes / 1000) add(counts.cache_hits);
}

void Scheduler::note_size(const Operation& operation) {
  const Pick& pick = operation.pick;
  const bool is_small = pick.is_seek && pick.length_bytes < kSmallReadBytes;
  small_reads_ = is_small ? small_reads_ + 1 : 0;
  if (!options_.elevator.seeks_cost || small_reads_ < kSmallReads) return;
  watch_.sing(SKL_CANARY_SMALL_READS, read_of(pick.parts.front()).asset, operation.io.offset_bytes,
              0, small_reads_,
              ShortText(operation.io.file->name(), ": ", small_reads_,
                        " small reads one after the other, each with a seek"));
  small_reads_ = 0;
}

void Scheduler::finish(Operation& operation) {
  const uint64_t end_us = now_us();
  const uint64_t took_us = end_us - operation.began_us;
  const uint64_t device_us = end_us - std::max(operation.began_us, latest_end_us_);
  latest_end_us_ = end_us;
  const Pick& pick = operation.pick;
  std::optional<Error>& failure = operation.io.failure;
  count(operation, took_us);
  note_size(operation);
  if (took_us > options_.slow_read_us)
    watch_.sing(SKL_CANARY_SLOW_READ, read_of(pick.parts.front()).asset, operation.io.offset_bytes,
                took_us, 1,
                ShortText(operation.io.file->name(), ": ", pick.length_bytes, " bytes took ",
                          took_us / 1000, " ms"));

  const std::lock_guard lock(mutex_);
  read_bytes_ += pick.length_bytes;
  if (!failure) judge(operation, device_us);
  // If one of several parts is unreadable, only its reads may fail, so the parts are read again one
  // by one.
  const bool parts_again = failure && pick.parts.size() > 1;
  for (const PickedPart& part : pick.parts) {
    DeviceRead& read = read_of(part);
    if (parts_again && !read.is_cancelled_) {
      again_.push_back({&read, part});
      continue;
    }
    --read.parts_in_flight_;
    if (failure && !read.failure_) {
      if (failure->result == SKL_IO) add(watch_.counts.io_errors);
      // Only cancelled reads get here, and they need no message.
      read.failure_ = parts_again ? Error{SKL_CANCELLED, {}} : std::move(*failure);
      if (read.is_waiting_) elevator_.remove(part.id);
      read.is_waiting_ = false;
    }
    settle(read);
  }
  free_.push_back(&operation);
}

void Scheduler::judge(const Operation& operation, uint64_t took_us) {
  if (!judge_ || !operation.io.has_waited || read_of(operation.pick.parts.front()).is_whole) return;
  const Pick& pick = operation.pick;
  if (judge_->note({pick.jump_bytes, pick.length_bytes, took_us})) is_changing_ = true;
}

// Called when nothing is in flight. If there is no memory or thread for the change, everything
// stays as it is until the next change of the verdict.
void Scheduler::change_media(std::unique_lock<std::mutex>& lock) {
  const bool is_rotational = judge_->is_rotational();
  const SchedulerOptions options = scheduler_options(is_rotational, wanted_);
  Machine machine;
  lock.unlock();
  try {
    machine = make_machine(options);
  } catch (const std::exception&) {
    machine = {};
  }
  lock.lock();
  is_changing_ = false;
  if (machine.engine == nullptr) return;
  media_.is_rotational = is_rotational;
  media_.source = SKL_MEDIA_SOURCE_MEASURED;
  options_ = options;
  elevator_.set_options(options.elevator);
  use(std::move(machine));
}

Scheduler::Report Scheduler::report() {
  const std::lock_guard lock(mutex_);
  Report report = {.read_bytes = read_bytes_, .media = media_};
  if (!judge_) return report;
  report.changes = judge_->changes();
  report.jumps = judge_->jumps();
  report.median_us = judge_->median_us();
  report.fast = judge_->fast();
  report.slow = judge_->slow();
  return report;
}

Scheduler::Report Schedulers::report(uint32_t& devices) {
  const std::lock_guard lock(mutex_);
  Scheduler::Report most;
  most.media.source = SKL_MEDIA_SOURCE_NONE;
  for (const auto& [device, scheduler] : by_device_) {
    const Scheduler::Report one = scheduler->report();
    if (most.media.source == SKL_MEDIA_SOURCE_NONE || one.read_bytes > most.read_bytes) most = one;
  }
  devices = static_cast<uint32_t>(by_device_.size());
  return most;
}

Scheduler::Pumped Schedulers::pump(uint64_t until_us, uint32_t patience_ms) noexcept {
  using Pumped = Scheduler::Pumped;
  Pumped all = Pumped::idle;
  for (uint64_t device = 0;;) {
    Scheduler* scheduler = nullptr;
    {
      // All schedulers stay in the map until every one is stopped.
      const std::lock_guard lock(mutex_);
      const auto next = by_device_.lower_bound(device);
      if (next == by_device_.end()) return all;
      device = next->first + 1;
      scheduler = next->second.get();
    }
    all = std::max(all, scheduler->pump(until_us, patience_ms));
    if (device == 0) return all;
  }
}

Scheduler& Schedulers::of(const File& file) {
  const uint64_t device = file.place().device;
  const std::lock_guard lock(mutex_);
  Owned<Scheduler>& scheduler = by_device_[device];
  if (scheduler == nullptr) {
    scheduler =
        make_owned<Scheduler>(memory_, media_of(file, options_.media), options_, watch_, memory_);
  }
  return *scheduler;
}

void Schedulers::stop() {
  const std::lock_guard lock(mutex_);
  by_device_.clear();
}

}  // namespace seekless::runtime
