#include "runtime/block_pool.h"

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace seekless::runtime {
namespace {

constexpr size_t kPooledBytes = 65536;

TEST(BlockPool, gives_no_more_than_its_budget) {
  BlockPool pool(2 * kPooledBytes + 1);
  BlockBuffer* a = pool.acquire(kPooledBytes);
  BlockBuffer* b = pool.acquire(kPooledBytes);
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(pool.acquire(kPooledBytes), nullptr);
  a->release();
  BlockBuffer* c = pool.acquire(kPooledBytes);
  EXPECT_NE(c, nullptr);
  b->release();
  c->release();
}

TEST(BlockPool, a_retained_buffer_stays_until_its_last_release) {
  BlockPool pool(kPooledBytes);
  BlockBuffer* a = pool.acquire(kPooledBytes);
  a->retain();
  a->release();
  EXPECT_EQ(pool.acquire(kPooledBytes), nullptr);
  a->release();
  BlockBuffer* b = pool.acquire(kPooledBytes);
  ASSERT_NE(b, nullptr);
  b->release();
}

TEST(BlockPool, what_waits_makes_room_for_another_size) {
  BlockPool pool(4 * kPooledBytes);
  std::vector<BlockBuffer*> held;
  for (int i = 0; i < 4; ++i) held.push_back(pool.acquire(kPooledBytes));
  for (BlockBuffer* buffer : held) buffer->release();
  BlockBuffer* large = pool.acquire(4 * kPooledBytes);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(large->bytes().size(), 4 * kPooledBytes);
  large->release();
}

TEST(BlockPool, more_buffers_than_places_to_wait_are_all_given_back) {
  BlockPool pool(64 * kPooledBytes);
  for (int round = 0; round < 3; ++round) {
    std::vector<BlockBuffer*> held;
    while (BlockBuffer* buffer = pool.acquire(kPooledBytes)) held.push_back(buffer);
    EXPECT_EQ(held.size(), 64U);
    for (BlockBuffer* buffer : held) buffer->release();
  }
}

TEST(BlockPool, refuses_sizes_beyond_the_budget_without_overflow) {
  BlockPool pool(kPooledBytes);
  EXPECT_EQ(pool.acquire(SIZE_MAX & ~size_t{4095}), nullptr);
  EXPECT_EQ(pool.acquire(2 * kPooledBytes), nullptr);
}

TEST(BlockPool, threads_never_hold_the_same_buffer_nor_more_than_the_budget) {
  constexpr size_t kBuffers = 3;
  BlockPool pool(kBuffers * kPooledBytes);
  std::atomic<size_t> held = 0;
  std::atomic<bool> wrong = false;
  const auto work = [&](unsigned char mark) {
    for (int i = 0; i < 5000; ++i) {
      BlockBuffer* buffer = pool.acquire(i % 7 == 0 ? kPooledBytes / 2 : kPooledBytes);
      if (buffer == nullptr) continue;
      if (held.fetch_add(1) >= 2 * kBuffers) wrong = true;
      std::memset(buffer->bytes().data(), mark, 64);
      buffer->retain();
      for (size_t at = 0; at < 64; ++at)
        if (buffer->bytes()[at] != std::byte{mark}) wrong = true;
      buffer->release();
      held.fetch_sub(1);
      buffer->release();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned char mark = 1; mark <= 4; ++mark) threads.emplace_back(work, mark);
  }
  EXPECT_FALSE(wrong);
  std::vector<BlockBuffer*> all;
  while (BlockBuffer* buffer = pool.acquire(kPooledBytes)) all.push_back(buffer);
  EXPECT_EQ(all.size(), kBuffers);
  for (BlockBuffer* buffer : all) buffer->release();
}

}  // namespace
}  // namespace seekless::runtime
