#include "packer/trace/internal/numbers.h"

#include <string>

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kMost = UINT64_MAX;

TEST(Numbers, are_digits_or_hexadecimal_after_0x) {
  EXPECT_EQ(parse_number("0"), 0U);
  EXPECT_EQ(parse_number("007"), 7U);
  EXPECT_EQ(parse_number(" 16384\t"), 16384U);
  EXPECT_EQ(parse_number("0x4000"), 0x4000U);
  EXPECT_EQ(parse_number("0XfFff"), 0xffffU);
  EXPECT_EQ(parse_number("18446744073709551615"), kMost);
  EXPECT_EQ(parse_id("0xB54"), 0xb54U);
  EXPECT_EQ(parse_id("2,900"), 2900U);
}

TEST(Numbers, may_have_the_thousands_of_any_locale_and_code_page) {
  for (const char* separator :
       {",", ".", " ", "'", "\u00a0", "\u202f", "\u2009", "\u2019", "\u066c", "\xa0", "\xff",
        "\x92", "\u00ff", "\u00e1", "\u00c2\u00a0", "?", "\ufffd"}) {
    const std::string s = separator;
    EXPECT_EQ(parse_number("655" + s + "360"), 655'360U) << s;
    EXPECT_EQ(parse_number("1" + s + "073" + s + "741" + s + "824"), 1'073'741'824U) << s;
    EXPECT_EQ(parse_number("1" + s + "07" + s + "37" + s + "41" + s + "824"), 1'073'741'824U) << s;
  }
  EXPECT_EQ(parse_number("1073741,824"), 1'073'741'824U);
}

TEST(Numbers, are_right_up_to_the_largest_however_they_are_grouped) {
  EXPECT_EQ(parse_number("9999999999999999999"), 9'999'999'999'999'999'999U);
  EXPECT_EQ(parse_number("999,999,999,999,999,999"), 999'999'999'999'999'999U);
  EXPECT_EQ(parse_number("18,446,744,073,709,551,615"), kMost);
  EXPECT_EQ(parse_number("18,446,744,073,709,551,616"), std::nullopt);
  EXPECT_EQ(parse_number("1'234.567"), std::nullopt);
  for (const uint64_t number : {1'000U, 12'345U, 999'999U, 4'294'967'295U}) {
    const std::string digits = std::to_string(number);
    for (const std::string_view separator : {",", ".", " ", "'", "_", "\xa0"}) {
      std::string grouped;
      for (size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) grouped += separator;
        grouped += digits[i];
      }
      EXPECT_EQ(parse_number(grouped), number) << grouped;
    }
  }
}

TEST(Numbers, end_where_their_field_ends) {
  for (const char* text : {"",
                           " ",
                           "x",
                           "0x",
                           "0xg",
                           "12a",
                           "4096 B",
                           "-1",
                           "+1",
                           "1.5",
                           "1,5",
                           "0,123",
                           "1,,234",
                           "1,234,",
                           ",234",
                           "1,234.567",
                           "1,2345",
                           "12,34",
                           "1,23,45",
                           "1234,567,890",
                           "123,45,678",
                           "1,2,345",
                           "1;234",
                           "18446744073709551616",
                           "99,999,999,999,999,999,999",
                           "999,999,999,999,999,999,999,999",
                           "4 0",
                           "1e5",
                           "1\n234"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << "'" << text << "'";
  }
  EXPECT_EQ(parse_id("4294967296"), std::nullopt);
  EXPECT_EQ(parse_id("0x100000000"), std::nullopt);
}

TEST(Numbers, of_digits_alone_are_nothing_else) {
  EXPECT_EQ(parse_whole_number("12"), 12U);
  for (const char* text : {"", "0x1", "1,234", " 1", "1 ", "-1"})
    EXPECT_EQ(parse_whole_number(text), std::nullopt) << text;
}

}  // namespace
}  // namespace seekless
