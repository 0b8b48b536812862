#include "packer/base/in_parallel.h"

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(InParallel, does_each_number_once) {
  for (const size_t threads : {0U, 1U, 3U, 8U, 100U}) {
    std::vector<int> done(57, 0);
    in_parallel(done.size(), threads, [&](size_t number, size_t thread) {
      EXPECT_LT(thread, std::max<size_t>(threads, 1));
      ++done[number];
    });
    EXPECT_EQ(done, std::vector<int>(57, 1)) << threads;
  }
  in_parallel(0, 8, [](size_t, size_t) { FAIL(); });
}

TEST(InParallel, throws_here_what_a_thread_throws_and_begins_no_more) {
  for (const size_t threads : {1U, 4U}) {
    std::atomic<size_t> begun = 0;
    try {
      in_parallel(1'000'000, threads, [&](size_t number, size_t) {
        ++begun;
        if (number == 10) throw std::bad_alloc();
      });
      FAIL();
    } catch (const std::bad_alloc&) {
    }
    EXPECT_LT(begun, 1'000'000U);
  }
}

TEST(InParallel, tells_threads_that_have_no_numbers_to_stop) {
  std::atomic<bool> ends = false;
  EXPECT_THROW(on_threads(
                   4,
                   [&](size_t thread) {
                     if (thread == 0) throw std::runtime_error("mine");
                     while (!ends) std::this_thread::yield();
                   },
                   [&]() noexcept { ends = true; }),
               std::runtime_error);
}

TEST(InParallel, what_can_be_done_without_fails_alone) {
  std::jthread thread =
      thread_to_do_without([](const std::stop_token&) { throw std::runtime_error("mine"); });
  EXPECT_TRUE(thread.joinable());
}

TEST(InParallel, tells_the_error_of_the_lowest_number_and_begins_none_above_it) {
  for (const size_t threads : {1U, 4U}) {
    std::atomic<size_t> begun = 0;
    const auto done =
        in_parallel_or_error(1'000'000, threads, [&](size_t number, size_t) -> Result<void> {
          ++begun;
          if (number == 70) throw std::runtime_error("thrown");
          if (number % 100 == 50) return failed({.found = std::to_string(number)});
          return {};
        });
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("50"), std::string::npos) << done.error().message;
    EXPECT_LT(begun, 1'000U);
  }
  const auto thrown = in_parallel_or_error(3, 2, [](size_t number, size_t) -> Result<void> {
    if (number == 1) throw std::runtime_error("thrown");
    return {};
  });
  ASSERT_FALSE(thrown);
  EXPECT_NE(thrown.error().message.find("thrown"), std::string::npos);
}

}  // namespace
}  // namespace seekless
