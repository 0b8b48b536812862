// Tests the bitmap of pages against a plain array of flags.
#include "packer/drive/internal/page_set.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(PageSet, is_empty_at_first) {
  const PageSet set;
  EXPECT_FALSE(set.contains(0));
  EXPECT_EQ(set.next_absent(5, 10), 5u);
  EXPECT_EQ(set.next_present(5, 1'000'000'000'000), 1'000'000'000'000u);
  EXPECT_EQ(set.count_before(100, 10), 0u);
}

TEST(PageSet, forgets_single_pages) {
  PageSet set;
  set.erase(1'000'000);
  set.insert(60, 70);
  set.erase(64);
  EXPECT_EQ(set.next_absent(60, 70), 64u);
  EXPECT_EQ(set.count_before(70, 10), 5u);
  EXPECT_TRUE(set.contains(65));
}

TEST(PageSet, agrees_with_plain_flags) {
  constexpr uint64_t kPages = 100'000;  // more than three pieces
  std::mt19937_64 random(3);
  PageSet set;
  std::vector<bool> flags(kPages);
  for (int i = 0; i < 60; ++i) {
    const uint64_t first = random() % kPages;
    const uint64_t end = std::min(kPages, first + random() % 900);
    set.insert(first, end);
    for (uint64_t page = first; page < end; ++page) flags[page] = true;
  }
  const auto next = [&](uint64_t first, uint64_t end, bool wanted) {
    while (first < end && flags[first] != wanted) ++first;
    return first;
  };
  for (uint64_t page = 0; page < kPages; page += 7) {
    const uint64_t end = std::min(kPages, page + 1000);
    ASSERT_EQ(set.contains(page), flags[page]);
    ASSERT_EQ(set.next_absent(page, end), next(page, end, false));
    ASSERT_EQ(set.next_present(page, end), next(page, end, true));
    uint64_t before = 0;
    while (before < 32 && before < page && flags[page - 1 - before]) ++before;
    ASSERT_EQ(set.count_before(page, 32), before);
  }
}

}  // namespace
}  // namespace seekless
