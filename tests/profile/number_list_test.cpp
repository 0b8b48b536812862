#include "packer/profile/number_list.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;

TEST(NumberList, gives_back_what_it_was_made_of) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint32_t> numbers(random() % 40);
    for (uint32_t& number : numbers) number = static_cast<uint32_t>(random() >> random() % 64);
    const NumberList list(numbers);
    EXPECT_EQ(list.to_vector(), numbers);
    EXPECT_EQ(list.size(), numbers.size());
    EXPECT_EQ(list.empty(), numbers.empty());
    NumberList pushed;
    for (const uint32_t number : numbers) pushed.push_back(number);
    EXPECT_EQ(pushed, list);
  }
}

TEST(NumberList, holds_the_largest_numbers_next_to_the_smallest) {
  const NumberList list = {UINT32_MAX, 0, UINT32_MAX, UINT32_MAX, 0, 1};
  EXPECT_THAT(list, ElementsAre(UINT32_MAX, 0U, UINT32_MAX, UINT32_MAX, 0U, 1U));
  EXPECT_TRUE(std::ranges::equal(list, list.to_vector()));
}

TEST(NumberList, takes_a_byte_for_what_follows_and_two_for_what_is_near) {
  std::vector<uint32_t> numbers(1000);
  for (uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = 70'000 + i;
  EXPECT_LE(NumberList(numbers).size_bytes(), 1000U + 2U);
  for (uint32_t i = 0; i + 1 < numbers.size(); i += 2)
    numbers[i] = numbers[i + 1] + 4000 + i;  // goes there and back again
  EXPECT_LE(NumberList(numbers).size_bytes(), 2U * 1000U + 1U);
}

}  // namespace
}  // namespace seekless
