#include "runtime/scheduler.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/host/sizes.h"
#include "tests/pack/set_maker.h"

namespace seekless::runtime {
namespace {

using testing::ElementsAre;

// A file that remembers its reads, and holds each until the test allows it.
class GatedFile final : public File {
 public:
  explicit GatedFile(bool is_open = true) : is_open_(is_open) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return 1 << 30; }
  void will_need(uint64_t offset, uint64_t length) const override {
    const std::lock_guard lock(mutex_);
    hints_.emplace_back(offset, offset + length);
  }
  ReadAhead read_ahead() const override { return {kMiB, window_bytes_}; }
  Result<void> read_at(uint64_t offset, std::span<std::byte> into) const override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
    --waiting_;
    offsets_.push_back(offset);
    for (std::byte& byte : into) byte = byte_at(offset++);
    for (const auto& [from, to] : bad_)
      if (offset > from && offset - into.size() < to)
        return std::unexpected(Error{SKL_IO, "gated: bad sector", EIO, from});
    return {};
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void await_reader() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ > 0; });
  }
  std::vector<uint64_t> offsets() const {
    const std::lock_guard lock(mutex_);
    return offsets_;
  }
  std::vector<std::pair<uint64_t, uint64_t>> hints() const {
    const std::lock_guard lock(mutex_);
    return hints_;
  }
  static std::byte byte_at(uint64_t offset) { return static_cast<std::byte>(offset * 7 + 3); }

  uint64_t window_bytes_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> bad_;

 private:
  std::string name_ = "gated";
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::vector<uint64_t> offsets_;
  mutable std::vector<std::pair<uint64_t, uint64_t>> hints_;
  mutable int waiting_ = 0;
  bool is_open_;
};

struct Job final : DeviceRead {
  Job(const File& from, uint64_t offset, uint64_t length = 4 * kKiB) : memory(length) {
    file = &from;
    offset_bytes = offset;
    length_bytes = length;
    into = memory.data();
  }
  void done(std::optional<Error> outcome) override {
    const std::lock_guard lock(mutex);
    failure = std::move(outcome);
    ++times;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return times > 0; });
  }
  bool is_right() const {
    for (uint64_t i = 0; i < memory.size(); ++i)
      if (memory[i] != GatedFile::byte_at(offset_bytes + i)) return false;
    return true;
  }

  std::vector<std::byte> memory;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Error> failure;
  int times = 0;
};

struct Fixture {
  explicit Fixture(bool is_file_open = true, SchedulerOptions options = disk())
      : file(is_file_open), scheduler(std::make_unique<Scheduler>(options, watch)) {}
  // Reads on one thread, so that the order is known.
  static SchedulerOptions disk() {
    skl_context_options wanted = {};
    wanted.backend = SKL_BACKEND_THREADS;
    return scheduler_options(true, wanted);
  }

  Watch watch = Watch(nullptr, nullptr);
  GatedFile file;
  std::unique_ptr<Scheduler> scheduler;
};

TEST(Scheduler, reads_what_it_is_asked_for) {
  for (const bool uring : {false, true})
    for (const uint32_t depth : {1U, 4U}) {
      SchedulerOptions options = Fixture::disk();
      options.depth = depth;
      options.uses_system_engine = uring;
      Fixture fixture(true, options);
      Job large(fixture.file, 3, 9 * kMiB + 5);
      Job small(fixture.file, 100 * kMiB, 1);
      fixture.scheduler->submit(large);
      fixture.scheduler->submit(small);
      large.wait();
      small.wait();
      EXPECT_FALSE(large.failure);
      EXPECT_FALSE(small.failure);
      EXPECT_TRUE(large.is_right());
      EXPECT_TRUE(small.is_right());
    }
}

TEST(Scheduler, serves_by_place_and_joins_neighbours) {
  Fixture fixture(false);
  Job first(fixture.file, 0);
  fixture.scheduler->submit(first);
  fixture.file.await_reader();
  std::vector<std::unique_ptr<Job>> jobs;
  for (const uint64_t at : {900 * kMiB, 100 * kMiB, 500 * kMiB, 100 * kMiB + 8 * kKiB})
    jobs.push_back(std::make_unique<Job>(fixture.file, at));
  for (const auto& job : jobs) fixture.scheduler->submit(*job);
  fixture.file.open();
  for (const auto& job : jobs) {
    job->wait();
    EXPECT_TRUE(job->is_right());
  }
  const uint64_t pair = 100 * kMiB;
  EXPECT_THAT(fixture.file.offsets(),
              ElementsAre(0, pair, pair + 4 * kKiB, pair + 8 * kKiB, 500 * kMiB, 900 * kMiB));
  const Counts& counts = fixture.watch.counts;
  EXPECT_EQ(counts.reads, 4U);
  EXPECT_EQ(counts.coalesced_requests, 1U);
  EXPECT_EQ(counts.gap_bytes, 4 * kKiB);
}

constexpr uint64_t kFirst = 10 * kMiB;
constexpr uint64_t kEach = 700 * kKiB;
constexpr int kCount = 20;
constexpr uint64_t kEnd = kFirst + kCount * kEach;

// Returns the hints of a sweep on a device with this read-ahead window.
std::vector<std::pair<uint64_t, uint64_t>> hints_of_a_sweep(uint64_t window_bytes) {
  Fixture fixture(false);
  fixture.file.window_bytes_ = window_bytes;
  Job before(fixture.file, 0);
  fixture.scheduler->submit(before);
  fixture.file.await_reader();
  std::vector<std::unique_ptr<Job>> sweep;
  for (int i = 0; i < kCount; ++i) {
    sweep.push_back(std::make_unique<Job>(fixture.file, kFirst + i * kEach, kEach));
    fixture.scheduler->submit(*sweep.back());
  }
  fixture.file.open();
  for (const auto& job : sweep) job->wait();
  return fixture.file.hints();
}

TEST(Scheduler, hints_of_a_sweep_are_as_long_as_commands_and_name_each_byte_once) {
  const auto hints = hints_of_a_sweep(0);
  ASSERT_FALSE(hints.empty());
  EXPECT_EQ(hints.front().first, kFirst);
  EXPECT_EQ(hints.back().second, kEnd);
  for (size_t i = 1; i < hints.size(); ++i) EXPECT_EQ(hints[i].first, hints[i - 1].second);
  // Each hint may become two commands of a device that takes 1 MiB at once; whole ones don't.
  EXPECT_LE(hints.size(), (kEnd - kFirst) / kMiB + 1);
}

// The system's own read-ahead makes fewer commands, but reads beyond the end.
TEST(Scheduler, a_long_sweep_gives_hints_only_for_its_last_mebibytes) {
  const auto hints = hints_of_a_sweep(kMiB);
  ASSERT_FALSE(hints.empty());
  EXPECT_GT(hints.front().first, kEnd - 6 * kMiB);
  EXPECT_LE(hints.front().first, kEnd - 4 * kMiB);
  EXPECT_EQ(hints.back().second, kEnd);
  for (size_t i = 1; i < hints.size(); ++i) EXPECT_EQ(hints[i].first, hints[i - 1].second);
}

TEST(Scheduler, a_window_that_is_unknown_short_or_long_leaves_all_hints) {
  for (const uint64_t window_bytes : {uint64_t{0}, 128 * kKiB, 4 * kMiB}) {
    const auto hints = hints_of_a_sweep(window_bytes);
    ASSERT_FALSE(hints.empty());
    EXPECT_EQ(hints.front().first, kFirst) << window_bytes;
    EXPECT_EQ(hints.back().second, kEnd) << window_bytes;
  }
}

TEST(Scheduler, of_a_joined_read_only_those_fail_that_a_fault_concerns) {
  Fixture fixture(false);
  fixture.file.bad_ = {{10 * kKiB, 10 * kKiB + 1}};
  Job first(fixture.file, 500 * kMiB);
  fixture.scheduler->submit(first);
  fixture.file.await_reader();
  Job before(fixture.file, 0), hit(fixture.file, 8 * kKiB), behind(fixture.file, 12 * kKiB);
  fixture.scheduler->submit(before);
  fixture.scheduler->submit(hit);
  fixture.scheduler->submit(behind);
  fixture.file.open();
  for (Job* job : {&before, &hit, &behind}) job->wait();
  EXPECT_FALSE(before.failure);
  EXPECT_FALSE(behind.failure);
  EXPECT_TRUE(before.is_right());
  EXPECT_TRUE(behind.is_right());
  ASSERT_TRUE(hit.failure);
  EXPECT_EQ(hit.failure->os_error, EIO);
  EXPECT_EQ(fixture.watch.counts.io_errors, 1U);
}

TEST(Scheduler, what_is_cancelled_before_it_is_read_is_never_read) {
  Fixture fixture(false);
  Job first(fixture.file, 0);
  Job second(fixture.file, 500 * kMiB);
  fixture.scheduler->submit(first);
  fixture.file.await_reader();
  fixture.scheduler->submit(second);
  EXPECT_TRUE(fixture.scheduler->cancel(second));
  second.wait();
  EXPECT_EQ(second.failure->result, SKL_CANCELLED);
  EXPECT_FALSE(fixture.scheduler->cancel(second));
  fixture.file.open();
  first.wait();
  EXPECT_FALSE(first.failure);
  EXPECT_THAT(fixture.file.offsets(), ElementsAre(0));
}

TEST(Scheduler, what_is_cancelled_in_flight_is_done_when_its_memory_is_left_alone) {
  Fixture fixture(false);
  Job job(fixture.file, 0, 9 * kMiB);
  fixture.scheduler->submit(job);
  fixture.file.await_reader();
  EXPECT_TRUE(fixture.scheduler->cancel(job));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  {
    const std::lock_guard lock(job.mutex);
    EXPECT_EQ(job.times, 0) << "a thread still writes into its memory";
  }
  fixture.file.open();
  job.wait();
  EXPECT_EQ(job.failure->result, SKL_CANCELLED);
  EXPECT_EQ(fixture.file.offsets().size(), 1U) << "the rest of it isn't read";
}

TEST(Scheduler, ends_with_reads_outstanding) {
  for (const bool uring : {false, true}) {
    SchedulerOptions options = Fixture::disk();
    options.depth = 3;
    options.uses_system_engine = uring;
    Fixture fixture(true, options);
    std::vector<std::unique_ptr<Job>> jobs;
    for (uint64_t i = 0; i < 200; ++i) {
      jobs.push_back(std::make_unique<Job>(fixture.file, i * 5 * kMiB, 64 * kKiB));
      fixture.scheduler->submit(*jobs.back());
    }
    fixture.scheduler.reset();
    for (const auto& job : jobs) {
      EXPECT_EQ(job->times, 1);
      if (job->failure)
        EXPECT_EQ(job->failure->result, SKL_CANCELLED);
      else
        EXPECT_TRUE(job->is_right());
    }
  }
}

size_t threads_now() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

TEST(Scheduler, starts_its_threads_with_the_first_read) {
  const size_t before = threads_now();
  Fixture fixture;
  EXPECT_EQ(threads_now(), before);
  Job job(fixture.file, 0);
  fixture.scheduler->submit(job);
  job.wait();
  EXPECT_EQ(threads_now(), before + 2);
}

// Submits itself again until it has been read often enough.
struct Again final : DeviceRead {
  void done(std::optional<Error>) override {
    if (++times < 50)
      scheduler->submit(*this);
    else
      is_over = true;
  }
  Scheduler* scheduler = nullptr;
  int times = 0;
  std::atomic<bool> is_over = false;
};

TEST(Scheduler, a_read_may_be_submitted_again_when_it_is_done) {
  Fixture fixture;
  Again again;
  again.file = &fixture.file;
  again.length_bytes = 3 * kMiB;  // nowhere
  again.scheduler = fixture.scheduler.get();
  fixture.scheduler->submit(again);
  while (!again.is_over) std::this_thread::yield();
  EXPECT_EQ(again.times, 50);
}

TEST(Scheduler, threads_submit_and_cancel_at_once) {
  for (const bool uring : {false, true}) {
    SchedulerOptions options = Fixture::disk();
    options.depth = 4;
    options.uses_system_engine = uring;
    Fixture fixture(true, options);
    std::atomic<int> wrong = 0;
    const auto work = [&](uint64_t seed) {
      for (uint64_t round = 0; round < 20; ++round) {
        std::vector<std::unique_ptr<Job>> jobs;
        for (uint64_t i = 0; i < 20; ++i) {
          seed = seed * 6364136223846793005U + 1442695040888963407U;
          jobs.push_back(std::make_unique<Job>(fixture.file, (seed >> 40) * kKiB,
                                               1 + (seed >> 20) % (16 * kKiB)));
          jobs.back()->priority = i % 4 == 0 ? SKL_PRIORITY_URGENT : SKL_PRIORITY_NORMAL;
          fixture.scheduler->submit(*jobs.back());
          if (i % 3 == 0) fixture.scheduler->cancel(*jobs[i / 2]);
        }
        for (const auto& job : jobs) {
          job->wait();
          if (job->times != 1) ++wrong;
          if (job->failure ? job->failure->result != SKL_CANCELLED : !job->is_right()) ++wrong;
        }
      }
    };
    {
      std::vector<std::jthread> threads;
      for (uint64_t i = 0; i < 6; ++i) threads.emplace_back(work, i);
    }
    EXPECT_EQ(wrong, 0);
  }
}

// Records the canaries that the context's creator gets.
struct Sung {
  std::mutex mutex;
  std::vector<skl_canary_kind> kinds;
  static void on_canary(void* user, const skl_canary* canary) {
    auto& sung = *static_cast<Sung*>(user);
    const std::lock_guard lock(sung.mutex);
    sung.kinds.push_back(canary->kind);
  }
};

TEST(Scheduler, canaries_sing_of_slow_and_of_small_reads) {
  Sung sung;
  Watch watch(&Sung::on_canary, &sung);
  SchedulerOptions options = Fixture::disk();
  options.slow_read_us = 250'000;  // longer than a busy machine takes for one of the small reads
  GatedFile file(false);
  {
    Scheduler scheduler(options, watch);
    Job slow(file, 0);
    scheduler.submit(slow);
    file.await_reader();
    std::this_thread::sleep_for(std::chrono::milliseconds(260));
    file.open();
    slow.wait();
    for (uint64_t i = 1; i <= 64; ++i) {
      Job small(file, i * 10 * kMiB);
      scheduler.submit(small);
      small.wait();
    }
  }
  EXPECT_THAT(sung.kinds, ElementsAre(SKL_CANARY_SLOW_READ, SKL_CANARY_SMALL_READS));
  EXPECT_EQ(watch.counts.canaries, 2U);
}

TEST(Media, takes_the_unknown_for_a_disk_and_what_the_caller_says_for_true) {
  const GatedFile file;  // not on a device that the system knows
  const DeviceMedia unknown = media_of(file, SKL_MEDIA_DETECT);
  EXPECT_TRUE(unknown.is_rotational);
  EXPECT_EQ(unknown.source, SKL_MEDIA_SOURCE_UNKNOWN);
  const DeviceMedia told = media_of(file, SKL_MEDIA_SOLID);
  EXPECT_FALSE(told.is_rotational);
  EXPECT_EQ(told.source, SKL_MEDIA_SOURCE_OPTIONS);
}

}  // namespace
}  // namespace seekless::runtime
