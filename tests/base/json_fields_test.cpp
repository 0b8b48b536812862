#include "packer/base/json_fields.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class JsonFieldsTest : public testing::Test {
 protected:
  template <typename T>
  std::string refused(const Result<T>& result) {
    EXPECT_FALSE(result);
    if (result) return "";
    EXPECT_EQ(result.error().kind, ErrorKind::usage);
    return result.error().message;
  }

  const std::string file_ = "f.json";
  const JsonFields fields_ = JsonFields(file_);
  const JsonFields::Json json_ = JsonFields::Json::parse(
      R"({"flag": true, "number": 1.5, "whole": 7, "text": "x", "texts": ["a", "b"], "bad": ["a", ""],
          "negative": -1, "empty": "", "zero": "a\u0000b"})");
};

TEST_F(JsonFieldsTest, takes_what_is_of_its_type) {
  EXPECT_EQ(*fields_.flag(json_, "", "flag"), true);
  EXPECT_EQ(*fields_.number(json_, "", "number"), 1.5);
  EXPECT_EQ(*fields_.whole_number(json_, "", "whole"), 7U);
  EXPECT_EQ(*fields_.text(json_, "", "text"), "x");
  EXPECT_THAT(*fields_.texts(json_, "", "texts"), ElementsAre("a", "b"));
}

TEST_F(JsonFieldsTest, what_isnt_there_is_no_error) {
  EXPECT_FALSE(*fields_.flag(json_, "", "none"));
  EXPECT_FALSE(*fields_.text(json_, "", "none"));
  EXPECT_THAT(*fields_.texts(json_, "", "none"), IsEmpty());
}

TEST_F(JsonFieldsTest, another_type_is_an_error_that_names_the_place) {
  EXPECT_THAT(refused(fields_.flag(json_, "a, b", "whole")),
              testing::StartsWith("f.json: a, b, whole: expected true or false, found 7"));
  EXPECT_THAT(refused(fields_.whole_number(json_, "", "negative")), HasSubstr("found -1"));
  EXPECT_THAT(refused(fields_.whole_number(json_, "", "number")), HasSubstr("found 1.5"));
  EXPECT_THAT(refused(fields_.number(json_, "", "text")), HasSubstr("found string"));
  EXPECT_THAT(refused(fields_.text(json_, "", "empty")), HasSubstr("an empty one"));
  EXPECT_THAT(refused(fields_.text(json_, "", "zero")), HasSubstr("a zero byte"));
  EXPECT_THAT(refused(fields_.texts(json_, "", "bad")), HasSubstr("bad, number 2"));
  EXPECT_THAT(refused(fields_.texts(json_, "", "text")), HasSubstr("a list of texts"));
}

TEST_F(JsonFieldsTest, an_unknown_key_is_told_with_the_one_that_is_meant) {
  constexpr std::array<std::string_view, 2> kKnown = {"budget", "weights"};
  EXPECT_TRUE(fields_.check_keys(JsonFields::Json::parse(R"({"budget": 1})"), "", kKnown));
  EXPECT_THAT(refused(fields_.check_keys(JsonFields::Json::parse(R"({"budgte": 1})"), "", kKnown)),
              HasSubstr("do you mean 'budget'?"));
  EXPECT_THAT(refused(fields_.check_keys(JsonFields::Json::parse(R"({"zzz": 1})"), "", kKnown)),
              HasSubstr("known are budget, weights"));
  EXPECT_THAT(refused(fields_.check_keys(JsonFields::Json::parse("[]"), "p", kKnown)),
              HasSubstr("p: expected an object, found array"));
}

}  // namespace
}  // namespace seekless
