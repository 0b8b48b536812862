#include "packer/serve/internal/far_reads.h"

#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "packer/serve/internal/far_window.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

constexpr auto kNeverOver = [] { return false; };

TEST(FarWindow, grows_while_reads_are_as_fast_as_the_fastest) {
  FarWindow window;
  const size_t before = window.size();
  for (int i = 0; i < 100; ++i) window.note(0.020 + 0.0001 * i);
  EXPECT_GT(window.size(), before);
  EXPECT_LE(window.size(), 32U);
}

TEST(FarWindow, shrinks_while_reads_wait_for_each_other_but_not_to_one) {
  FarWindow window;
  for (int i = 0; i < 100; ++i) window.note(0.020);
  const size_t before = window.size();
  for (int i = 0; i < 1000; ++i) window.note(0.100);
  EXPECT_LT(window.size(), before);
  EXPECT_GE(window.size(), 2U);
}

TEST(FarWindow, takes_what_comes_from_memory_for_no_request) {
  FarWindow window;
  const size_t before = window.size();
  for (int i = 0; i < 100; ++i) window.note(0.00001);
  EXPECT_EQ(window.size(), before);
}

TEST(FarReads, read_all_pieces_names_and_what_is_missing) {
  const TestFolder folder;
  const std::string file = folder.write("file", std::string(300'000, 'a'));
  std::atomic<uint64_t> bytes = 0;
  std::atomic<int> pieces = 0;
  {
    FarReads reads([&](uint64_t got) {
      bytes += got;
      ++pieces;
    });
    for (uint64_t at = 0; at < 400'000; at += 100'000)
      EXPECT_TRUE(reads.begin({file, at, 100'000}, kNeverOver));
    EXPECT_TRUE(reads.begin({folder.path("missing"), 0, 10}, kNeverOver));
    EXPECT_TRUE(reads.begin({file}, kNeverOver));
    while (pieces < 5) std::this_thread::yield();
  }
  EXPECT_EQ(bytes, 300'000U);
}

}  // namespace
}  // namespace seekless
