#include "packer/plan/plan_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PlanSettings parsed(std::string_view text) {
  const auto settings = parse_plan_settings(text, "seekless.json");
  EXPECT_TRUE(settings) << settings.error().message;
  return settings ? *settings : PlanSettings{};
}

std::string refused(std::string_view text) {
  const auto settings = parse_plan_settings(text, "seekless.json");
  EXPECT_FALSE(settings) << text;
  if (settings) return "";
  EXPECT_EQ(settings.error().kind, ErrorKind::usage);
  return settings.error().message;
}

TEST(PlanSettings, reads_all_that_a_game_decides) {
  const PlanSettings settings = parsed(R"({
    "$schema": "build.schema.json",
    // Half as large again is what the disc has room for.
    "budget": 1.5, "gain": 0.5,
    "weights": {"map/rush": 3, "menu": 0},
    "sessions": [["boot", "menu", "map/rush"]],
    "rules": [{"match": "*.ogg", "pack": "music", "order": -2, "align": 4096},
              {"match": "video/**", "copies": false}, {"match": "*.psd", "exclude": true}]
  })");
  EXPECT_EQ(settings.budget_ratio, 1.5);
  EXPECT_EQ(settings.gain_s_per_gb, 0.5);
  EXPECT_EQ(settings.weights.at("map/rush"), 3);
  EXPECT_THAT(settings.sessions, ElementsAre(ElementsAre("boot", "menu", "map/rush")));
  ASSERT_EQ(settings.rules.size(), 3U);
  EXPECT_EQ(settings.rules[0].pack, "music");
  EXPECT_EQ(settings.rules[0].order, -2);
  EXPECT_EQ(settings.rules[0].alignment_bytes, 4096U);
  EXPECT_EQ(settings.rules[1].copies, false);
  EXPECT_EQ(settings.rules[2].excluded, true);
}

TEST(PlanSettings, an_empty_file_decides_nothing) {
  const PlanSettings settings = parsed("{}");
  EXPECT_FALSE(settings.budget_ratio);
  EXPECT_TRUE(settings.rules.empty());
}

TEST(PlanSettings, unknown_keys_are_errors_with_a_suggestion) {
  EXPECT_THAT(refused(R"({"budgte": 2})"), HasSubstr("'budget'?"));
  EXPECT_THAT(refused(R"({"rules": [{"match": "a", "alignn": 4}]})"),
              testing::AllOf(HasSubstr("rules, number 1"), HasSubstr("'align'?")));
  EXPECT_THAT(refused(R"({"zzzzzzzz": 2})"), HasSubstr("known are $schema, content"));
}

TEST(PlanSettings, a_slip_of_the_pen_is_shown_where_it_is) {
  EXPECT_THAT(
      refused("{\n  // so\n  \"budget\": 1.2,\n}\n"),
      HasSubstr("seekless.json: line 4, column 1: expected JSON as in schemas/build.schema.json, "
                "found unexpected "
                "'}'; expected string literal; no comma goes after the last one"));
  EXPECT_THAT(refused("{\"budget\" 1.2}"), HasSubstr("line 1, column 13"));
  EXPECT_THAT(refused(""), HasSubstr("line 1, column 1"));
  EXPECT_THAT(refused("{\"budget\": 1.2"), HasSubstr("unexpected end of input"));
}

TEST(PlanSettings, refuses_what_is_out_of_range_or_contradicts_itself) {
  for (const char* text :
       {R"({"budget": 0.9})",
        R"({"budget": "2"})",
        R"({"gain": -1})",
        R"({"budget": 1e300})",
        R"({"weights": {"a": -1}})",
        R"({"weights": []})",
        R"({"weights": {"a": "b"}})",
        R"({"sessions": ["boot"]})",
        R"({"sessions": [["boot"]]})",
        R"({"sessions": [["a", "a"]]})",
        R"({"sessions": [["a", ""]]})",
        R"({"sessions": [["a", 1]]})",
        R"({"sessions": {}})",
        R"({"rules": {}})",
        R"({"rules": [1]})",
        R"({"rules": [{}]})",
        R"({"rules": [{"match": ""}]})",
        R"({"rules": [{"match": 1}]})",
        R"({"rules": [{"match": "a", "align": 3}]})",
        R"({"rules": [{"match": "a", "align": -4}]})",
        R"({"rules": [{"match": "a", "align": 8192}]})",
        R"({"rules": [{"match": "a", "order": 1.5}]})",
        R"({"rules": [{"match": "a", "order": 9999999999}]})",
        R"({"rules": [{"match": "a", "pack": "x/y"}]})",
        R"({"rules": [{"match": "a", "pack": "catalog"}]})",
        R"({"rules": [{"match": "a", "pack": "CATALOG"}]})",
        R"({"rules": [{"match": "a", "pack": "p"}, {"match": "b", "pack": "P"}]})",
        R"({"rules": [{"match": "a", "pack": ".."}]})",
        R"({"rules": [{"match": "a", "exclude": true, "pack": "b"}]})",
        R"({"rules": [{"match": "a", "copies": true, "pack": "b"}]})",
        R"({"rules": [{"match": "a", "exclude": 1}]})",
        "[]",
        "",
        "{",
        R"({"budget": 1)"})
    EXPECT_THAT(refused(text), HasSubstr("seekless.json"));
}

}  // namespace
}  // namespace seekless
