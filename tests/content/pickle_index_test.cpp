#include "packer/content/internal/pickle_index.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;
using testing::HasSubstr;

// Python 2 and 3 wrote these: {"a.png": [(300, 7, "")], "b": [(3735928559, 70000)]}.
constexpr std::string_view kOfPython2 =
    "\x80\x02}q\x00(U\x05"
    "a.pngq\x01]q\x02M,\x01K\x07U\x00\x87q\x03"
    "aU\x01"
    "bq\x04]q\x05\x8a\x05\xef\xbe\xad\xde\x00Jp\x11\x01\x00\x86q\x06"
    "au."sv;
constexpr std::string_view kWithFrame =
    "\x80\x04\x95\x20\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01"
    "a\x94]\x94K\x05K\x06"
    "C\x02xy\x87\x94"
    "as."sv;

std::string message_for(std::string_view pickle) {
  const auto index = read_pickled_index(pickle, "a.rpa");
  return index ? "" : index.error().message;
}

TEST(PickledIndex, has_names_places_and_lengths) {
  const auto index = read_pickled_index(kOfPython2, "a.rpa");
  ASSERT_TRUE(index) << index.error().message;
  ASSERT_EQ(index->stretches.size(), 2U);
  EXPECT_EQ(index->stretches[0].name, "a.png");
  EXPECT_EQ(index->numbers[index->stretches[0].place].value, 300U);
  EXPECT_EQ(index->numbers[index->stretches[0].length].value, 7U);
  EXPECT_EQ(index->numbers[index->stretches[1].place].value, 3735928559U);
  EXPECT_EQ(index->numbers[index->stretches[1].length].value, 70000U);
}

TEST(PickledIndex, is_written_with_other_numbers_and_the_same_rest) {
  for (const std::string_view pickle : {kOfPython2, kWithFrame}) {
    const auto index = read_pickled_index(pickle, "a.rpa");
    ASSERT_TRUE(index) << index.error().message;
    for (const uint64_t value :
         {uint64_t{0}, uint64_t{255}, uint64_t{256}, uint64_t{65536}, uint64_t{INT32_MAX},
          uint64_t{1} << 31, uint64_t{1} << 40, UINT64_MAX}) {
      const std::string other = with_numbers(
          pickle, *index, std::vector<ReplacedNumber>{{index->stretches[0].place, value}});
      const auto again = read_pickled_index(other, "a.rpa");
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(again->numbers[again->stretches[0].place].value, value);
      EXPECT_TRUE(again->frames.empty());
      ASSERT_EQ(again->stretches.size(), index->stretches.size());
      for (size_t i = 0; i < again->stretches.size(); ++i) {
        EXPECT_EQ(again->stretches[i].name, index->stretches[i].name);
        EXPECT_EQ(again->stretches[i].prefix_bytes, index->stretches[i].prefix_bytes);
        EXPECT_EQ(again->numbers[again->stretches[i].length].value,
                  index->numbers[index->stretches[i].length].value);
      }
    }
  }
}

TEST(PickledIndex, counts_bytes_that_python_3_wrote_for_python_2) {
  const auto index = read_pickled_index(
      "\x80\x02}X\x01\x00\x00\x00"
      "a](K\x05K\x06"
      "c_codecs\nencode\nX\x03\x00\x00\x00\xC3\xBF"
      "zX\x06\x00\x00\x00latin1\x86Rtas."sv,
      "a.rpa");
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ(index->stretches[0].prefix_bytes, 2U);
}

TEST(PickledIndex, tells_parts_of_files_and_files_without_a_place) {
  const auto index = read_pickled_index(
      "\x80\x02}(X\x01\x00\x00\x00"
      "a](K\x05K\x06\x86K\x07K\x08\x86"
      "eX\x01\x00\x00\x00"
      "b]X\x01\x00\x00\x00"
      "c]K\x01K\x02\x86"
      "au."sv,
      "a.rpa");
  ASSERT_TRUE(index) << index.error().message;
  ASSERT_EQ(index->stretches.size(), 3U);
  EXPECT_TRUE(index->stretches[0].is_part && index->stretches[1].is_part);
  EXPECT_FALSE(index->stretches[2].is_part);
  EXPECT_EQ(index->name_without_place, "b");
}

TEST(PickledIndex, that_would_run_something_is_refused) {
  EXPECT_THAT(message_for("cos\nsystem\n(S'ls'\ntR."sv), HasSubstr("the instruction 0x53"));
  EXPECT_THAT(message_for("cos\nsystem\n(X\x02\x00\x00\x00lstR."sv), HasSubstr("a call"));
  EXPECT_THAT(message_for("\x80\x04\x8c\x02os\x8c\x06system\x93."sv),
              HasSubstr("the instruction 0x93"));
  EXPECT_THAT(message_for("(cos\nsystem\no."sv), HasSubstr("the instruction 0x6f"));
}

TEST(PickledIndex, of_another_form_is_refused) {
  for (const std::string_view pickle :
       {""sv, "."sv, "]."sv, "K\x01."sv, "}K\x01]s."sv,
        "}X\x01\x00\x00\x00"
        "aK\x01s."sv,
        "}(X\x01\x00\x00\x00"
        "au."sv,
        "}X\xFF\xFF\xFF\xFFts."sv, "}h\x05s."sv, "tt."sv, "uuu."sv, "\x8a\xFF"sv, "I12x\n."sv,
        "I-4\n."sv, "J\xFF\xFF\xFF\xFF."sv})
    EXPECT_NE(message_for(pickle), "") << pickle;
}

TEST(PickledIndex, of_any_truncation_is_refused) {
  for (const std::string_view pickle : {kOfPython2, kWithFrame})
    for (size_t size = 0; size < pickle.size(); ++size)
      EXPECT_NE(message_for(pickle.substr(0, size)), "") << size;
}

// A list that is used again and again must not take excessive memory.
TEST(PickledIndex, that_repeats_itself_is_refused) {
  std::string pickle =
      "\x80\x02}(U\x01"
      "a](";
  for (int i = 0; i < 1000; ++i) pickle += "K\x01K\x02\x86";
  pickle += "eq";
  pickle += '\1';
  for (int i = 0; i < 3000; ++i) pickle += std::string("U\1b") + "h\1";
  EXPECT_THAT(message_for(pickle + "u."), HasSubstr("again and again"));
}

}  // namespace
}  // namespace seekless
