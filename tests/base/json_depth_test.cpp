#include "packer/base/json_depth.h"

#include <string>

#include <gtest/gtest.h>

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

std::string brackets(size_t count) {
  return std::string(count, '[') + std::string(count, ']');
}

TEST(JsonDepth, is_that_of_brackets_that_lie_in_each_other) {
  EXPECT_FALSE(is_deep_json(brackets(kDeepestJson)));
  EXPECT_TRUE(is_deep_json(brackets(kDeepestJson + 1)));
  EXPECT_TRUE(is_deep_json("{\"a\":" + brackets(kDeepestJson) + "}"));
  EXPECT_FALSE(is_deep_json("[" + brackets(kDeepestJson - 1) + "," + brackets(3) + "]"));
}

TEST(JsonDepth, does_not_count_brackets_in_texts) {
  EXPECT_FALSE(is_deep_json("[\"" + std::string(1000, '[') + "\"]"));
  EXPECT_FALSE(is_deep_json(R"(["\")" + std::string(1000, '[') + "\"]"));
  EXPECT_TRUE(is_deep_json(R"(["\\",)" + brackets(kDeepestJson) + "]"));
}

TEST(JsonDepth, of_too_much_is_an_error_like_any_other) {
  const std::string deep = "{\"a\":" + brackets(300'000) + ",\"b\":1,\"c\":2}";
  EXPECT_THROW(parse_json<Json>(deep), Json::exception);
  EXPECT_TRUE(parse_json_if_any<Json>(deep).is_discarded());
  EXPECT_EQ(parse_json<Json>("{\"a\":[1]}"), parse_json_if_any<Json>("{\"a\":[1]}"));
}

}  // namespace
}  // namespace seekless
