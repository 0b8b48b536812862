#include "runtime/readers.h"

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace seekless::runtime {
namespace {

struct Counted final : Readers::Retired {
  explicit Counted(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
  ~Counted() override { --alive_; }
  std::atomic<int>& alive_;
};

TEST(Readers, what_nobody_looks_at_is_freed_at_once) {
  std::atomic<int> alive = 0;
  const Readers readers;
  for (int i = 0; i < 5; ++i) readers.retire(std::make_unique<Counted>(alive));
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(readers.waiting(), 0U);
}

TEST(Readers, the_last_to_leave_frees) {
  std::atomic<int> alive = 0;
  const Readers readers;
  std::optional<Readers::Guard> first(readers);
  std::optional<Readers::Guard> second(readers);
  readers.retire(std::make_unique<Counted>(alive));
  EXPECT_EQ(alive, 1);
  first.reset();
  EXPECT_EQ(alive, 1);
  second.reset();
  EXPECT_EQ(alive, 0);
}

TEST(Readers, those_who_come_later_keep_nothing_from_being_freed) {
  std::atomic<int> alive = 0;
  const Readers readers;
  std::optional<Readers::Guard> old(readers);
  readers.retire(std::make_unique<Counted>(alive));
  // Guards overlap, so there is always a reader inside.
  std::optional<Readers::Guard> next(readers);
  old.reset();
  for (int i = 0; i < 3; ++i) {
    std::optional<Readers::Guard> later(readers);
    next.reset();
    next.emplace(readers);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Readers, what_is_left_is_freed_with_the_whole) {
  std::atomic<int> alive = 0;
  {
    const Readers readers;
    const Readers::Guard guard(readers);
    readers.retire(std::make_unique<Counted>(alive));
    EXPECT_EQ(readers.waiting(), 1U);
  }
  EXPECT_EQ(alive, 0);
}

// AddressSanitizer or ThreadSanitizer would report anything freed too early.
TEST(Readers, nothing_is_freed_under_a_reader) {
  struct Box final : Readers::Retired {
    explicit Box(std::atomic<int>& of) : alive(of) { ++alive; }
    ~Box() override {
      value = 0;
      --alive;
    }
    std::atomic<int>& alive;
    int value = 42;
  };
  std::atomic<int> alive = 0;
  std::atomic<int> wrong = 0;
  std::atomic<bool> ends = false;
  {
    const Readers readers;
    std::atomic<Box*> published = new Box(alive);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        while (!ends) {
          const Readers::Guard guard(readers);
          if (published.load()->value != 42) ++wrong;
        }
      });
    {
      std::vector<std::jthread> writers;
      for (int i = 0; i < 2; ++i)
        writers.emplace_back([&] {
          for (int n = 0; n < 2000; ++n)
            readers.retire(std::unique_ptr<Readers::Retired>(published.exchange(new Box(alive))));
        });
    }
    ends = true;
    threads.clear();
    EXPECT_EQ(readers.waiting(), 0U);
    EXPECT_EQ(alive, 1);
    delete published.load();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace seekless::runtime
