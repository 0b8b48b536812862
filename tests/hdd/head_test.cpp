// Tests the head without FUSE: its answers, their times and their order. Times are only checked
// from below, because a test may be kept waiting; busy time is exact.
#include "integration/hdd/head.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless::hdd {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr uint64_t kFar = 600'000'000'000;

struct Answered {
  uint64_t position;
  int os_error;
  Head::Clock::time_point when;
};

// Asks for reads and keeps the answers. A read's tag is an index in `positions_`.
class Asker {
 public:
  explicit Asker(const HeadSettings& settings, DriveProfile profile = *find_profile("wd-black-1tb"))
      : head_(std::make_unique<Head>(
            profile, settings,
            [](uint64_t position, std::span<std::byte> into) {
              for (std::byte& byte : into) byte = static_cast<std::byte>(position++ % 251);
              return 0;
            },
            [this](void* tag, int os_error, std::span<const std::byte> bytes) {
              keep(*static_cast<uint64_t*>(tag), os_error, bytes);
            })) {}

  void ask(uint64_t position, uint32_t length) {
    positions_.push_back(std::make_unique<uint64_t>(position));
    head_->read(position, length, positions_.back().get());
  }
  const std::vector<Answered>& wait() {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [this] { return answered_.size() == positions_.size(); });
    return answered_;
  }
  std::vector<uint64_t> order() {
    std::vector<uint64_t> positions;
    for (const Answered& answered : wait()) positions.push_back(answered.position);
    return positions;
  }
  Head& head() { return *head_; }
  void end() { head_.reset(); }

 private:
  void keep(uint64_t position, int os_error, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    answered_.push_back({position, os_error, Head::Clock::now()});
    if (os_error == 0) {
      EXPECT_EQ(bytes.front(), static_cast<std::byte>(position % 251));
    }
    came_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::unique_ptr<uint64_t>> positions_;
  std::vector<Answered> answered_;
  std::unique_ptr<Head> head_;
};

HeadSettings at_scale(double scale, uint32_t depth = 1) {
  return {.scale = scale, .queue_depth = depth, .max_length_bytes = 1 << 20};
}

Order order_of(const char* line) {
  return *parse_order(line);
}

TEST(Head, is_busy_as_the_model_says_at_any_scale) {
  Drive drive(*find_profile("wd-black-1tb"));
  for (uint64_t i = 0; i < 5; ++i) drive.read(i % 2 * kFar + i * 65536, 65536);
  for (const double scale : {0.0, 0.01, 0.5}) {
    Asker asker(at_scale(scale));
    for (uint64_t i = 0; i < 5; ++i) asker.ask(i % 2 * kFar + i * 65536, 65536);
    asker.wait();
    const auto counters = asker.head().counters().drive;
    EXPECT_EQ(counters.busy_ms, drive.counters().busy_ms);
    EXPECT_EQ(counters.seeks, drive.counters().seeks);
    EXPECT_EQ(counters.bytes, 5 * 65536U);
  }
}

TEST(Head, answers_no_sooner_than_the_model_says) {
  const auto begin = Head::Clock::now();
  Asker asker(at_scale(0.5));
  for (const uint64_t position : {kFar, uint64_t{0}, kFar}) asker.ask(position, 4096);
  const auto took = asker.wait().back().when - begin;
  const double busy_ms = asker.head().counters().drive.busy_ms;
  EXPECT_GT(busy_ms, 30);
  EXPECT_GE(took, std::chrono::duration<double>(busy_ms / 2e3));
}

// The first read is under way before the others arrive, so they wait together.
void ask_near_and_far(Asker& asker) {
  asker.head().obey(order_of("stuck 3600"));
  for (const uint64_t position : {kFar, uint64_t{1} << 20, kFar + (1 << 20), uint64_t{0}})
    asker.ask(position, 4096);
  asker.head().obey(order_of("none"));
}

TEST(Head, serves_in_order_at_depth_1) {
  Asker asker(at_scale(0, 1));
  ask_near_and_far(asker);
  EXPECT_THAT(asker.order(), ElementsAre(kFar, 1 << 20, kFar + (1 << 20), 0));
  EXPECT_EQ(asker.head().counters().most_waiting, 4U);
}

TEST(Head, chooses_what_is_near_from_a_deeper_queue) {
  Asker asker(at_scale(0, 32));
  ask_near_and_far(asker);
  std::vector<uint64_t> order = asker.order();
  order.resize(2);  // then the head goes to the other two
  EXPECT_THAT(order, UnorderedElementsAre(0, 1 << 20));
}

TEST(Head, fails_reads_after_their_time) {
  Asker asker(at_scale(0));
  asker.head().obey(order_of("eio 4096 1 1 0"));
  asker.ask(0, 4096);
  asker.ask(4096, 4096);
  asker.ask(4096, 4096);
  std::vector<int> errors;
  for (const Answered& answered : asker.wait()) errors.push_back(answered.os_error);
  EXPECT_THAT(errors, ElementsAre(0, EIO, 0));
  EXPECT_EQ(asker.head().counters().drive.reads, 3U);
  EXPECT_EQ(asker.head().counters().faults.failed_reads, 1U);
}

TEST(Head, counts_slow_sectors_as_busy) {
  Asker asker(at_scale(0.1));
  const auto begin = Head::Clock::now();
  asker.head().obey(order_of("slow 0 1 0 0 400"));
  asker.ask(0, 4096);
  EXPECT_GE(asker.wait().back().when - begin, milliseconds(40));
  EXPECT_GE(asker.head().counters().drive.busy_ms, 400);
  EXPECT_LT(asker.head().counters().drive.busy_ms, 420);
}

TEST(Head, lets_no_read_wait_for_a_slow_one_that_is_over) {
  Asker asker(at_scale(1));
  const auto begin = Head::Clock::now();
  asker.head().obey(order_of("slow 0 1 1 0 60000"));
  asker.ask(0, 4096);
  while (asker.head().counters().faults.slow_reads == 0) std::this_thread::yield();
  asker.head().obey(order_of("none"));
  asker.wait();
  asker.ask(4096, 4096);
  EXPECT_LT(asker.wait().back().when - begin, milliseconds(30'000));
}

TEST(Head, is_stuck_for_a_while_that_is_not_busy) {
  Asker asker(at_scale(0));
  asker.head().obey(order_of("stuck 0.05"));
  const auto begin = Head::Clock::now();
  asker.ask(0, 4096);
  EXPECT_GE(asker.wait().back().when - begin, milliseconds(45));
  EXPECT_LT(asker.head().counters().drive.busy_ms, 20);
}

TEST(Head, starts_anew_on_reset) {
  Asker asker(at_scale(0));
  std::vector<double> busy_ms;
  for (int i = 0; i < 2; ++i) {
    asker.ask(kFar, 4096);
    asker.ask(0, 65536);
    asker.wait();
    busy_ms.push_back(asker.head().counters().drive.busy_ms);
    asker.head().obey(order_of("reset"));
  }
  EXPECT_EQ(busy_ms[0], busy_ms[1]);
  EXPECT_EQ(asker.head().counters().drive.reads, 0U);
}

TEST(Head, answers_whatever_waits_when_it_ends) {
  Asker asker(at_scale(1));
  asker.head().obey(order_of("stuck 3600"));
  asker.ask(0, 4096);
  asker.ask(kFar, 4096);
  asker.end();
  for (const Answered& answered : asker.wait()) EXPECT_EQ(answered.os_error, ENOTCONN);
}

TEST(Head, lets_the_drive_read_ahead_while_nobody_asks_if_its_clock_is_real) {
  const auto second_ms = [](bool counts_idle) {
    Asker asker({.scale = 1, .max_length_bytes = 1 << 20, .counts_idle = counts_idle});
    asker.ask(kFar, 65536);
    asker.wait();
    const double first_ms = asker.head().counters().drive.busy_ms;
    std::this_thread::sleep_for(milliseconds(20));  // longer than 256 KiB and a turn take there
    asker.ask(kFar + 65536, 65536);
    asker.wait();
    return asker.head().counters().drive.busy_ms - first_ms;
  };
  EXPECT_NEAR(second_ms(true), 0.08 + 65536 / 600e3, 1e-6);
  EXPECT_GT(second_ms(false), 65536 / 126e3);
}

}  // namespace
}  // namespace seekless::hdd
