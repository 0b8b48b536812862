#include "packer/base/text_numbers.h"

#include <string>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(TextNumbers, count_up_in_the_order_in_which_texts_first_come) {
  TextNumbers numbers;
  for (const char* text : {"b", "", "a"}) EXPECT_TRUE(numbers.number_of(text).is_new) << text;
  const auto again = numbers.number_of("a");
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.number, 2U);
  EXPECT_EQ(numbers.number_of("").number, 1U);
  EXPECT_EQ(numbers.size(), 3U);
}

TEST(TextNumbers, stay_while_a_hundred_thousand_others_come) {
  TextNumbers numbers;
  const std::string_view first = numbers.text(numbers.number_of("/first").number);
  for (uint32_t i = 1; i <= 100'000; ++i)
    ASSERT_EQ(numbers.number_of("/g/" + std::to_string(i)).number, i);
  for (uint32_t i = 1; i <= 100'000; ++i) {
    ASSERT_EQ(numbers.number_of("/g/" + std::to_string(i)).number, i);
    ASSERT_EQ(numbers.text(i), "/g/" + std::to_string(i));
  }
  EXPECT_EQ(first, "/first");
}

TEST(TextNumbers, are_of_copies_of_texts_of_any_length_and_any_bytes) {
  TextNumbers numbers;
  std::string text(300'000, 'x');
  numbers.number_of(text);
  text.back() = '\0';
  EXPECT_TRUE(numbers.number_of(text).is_new);
  const std::string kept(numbers.text(1));
  text.assign(text.size(), 'y');
  EXPECT_EQ(numbers.text(1), kept);
  EXPECT_EQ(numbers.text(0), std::string(300'000, 'x'));
}

}  // namespace
}  // namespace seekless
