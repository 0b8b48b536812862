#include "packer/plan/plan_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "packer/plan/plan_texts.h"

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
  EXPECT_EQ(settings.options.budget_ratio, 1.5);
  EXPECT_EQ(settings.options.gain_s_per_gb, 0.5);
  EXPECT_EQ(settings.options.weights.at("map/rush"), 3);
  EXPECT_THAT(settings.options.sessions, ElementsAre(ElementsAre("boot", "menu", "map/rush")));
  ASSERT_EQ(settings.options.rules.size(), 3U);
  EXPECT_EQ(settings.options.rules[0].pack, "music");
  EXPECT_EQ(settings.options.rules[0].order, -2);
  EXPECT_EQ(settings.options.rules[0].alignment_bytes, 4096U);
  EXPECT_EQ(settings.options.rules[1].copies, false);
  EXPECT_EQ(settings.options.rules[2].excluded, true);
}

TEST(PlanSettings, an_empty_file_decides_nothing) {
  const PlanSettings settings = parsed("{}");
  EXPECT_TRUE(settings.given.empty());
  EXPECT_TRUE(settings.options.rules.empty());
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

TEST(PlanSettings, what_goes_first_wins_and_lists_are_joined) {
  const PlanSettings both =
      with(parsed(R"({"budget": 2, "gain": 3, "weights": {"a": 1, "b": 2}, "align": {"*.a": 64}})"),
           parsed(R"({"budget": 1, "weights": {"b": 5}, "align": {"*.b": 32}})"));
  EXPECT_EQ(both.options.budget_ratio, 1);
  EXPECT_EQ(both.options.gain_s_per_gb, 3);
  EXPECT_EQ(both.options.weights.at("a"), 1);
  EXPECT_EQ(both.options.weights.at("b"), 5);
  ASSERT_EQ(both.options.rules.size(), 2U);
  EXPECT_EQ(both.options.rules.back().glob, "*.b");
}

TEST(PlanSettings, an_option_takes_the_same_range_as_the_build_file) {
  PlanSettings settings;
  EXPECT_TRUE(take_text(plan_setting("weights"), "map/rush=3", settings));
  EXPECT_EQ(settings.options.weights.at("map/rush"), 3);
  EXPECT_THAT(take_text(plan_setting("weights"), "a=-1", settings).error().message,
              HasSubstr("--weight: expected a number, 0 or more, found -1"));
  EXPECT_THAT(take_text(plan_setting("align"), "*.a=3", settings).error().message,
              HasSubstr("GLOB=BYTES, with a power of two from 1 to 4096"));
  EXPECT_THAT(refused(R"({"block": 3})"), HasSubstr("a power of two from 65536 to 16777216"));
}

TEST(PlanSettings, the_schema_has_each_range_and_default) {
  const auto budget = schema_of(plan_setting("budget"));
  EXPECT_EQ(budget["minimum"], 1);
  EXPECT_EQ(budget["default"], kDefaultBudgetRatio);
  EXPECT_EQ(schema_of(plan_setting("block"))["enum"].front(), 65536);
  EXPECT_EQ(usual_of(plan_setting("gain")), "1");
}

}  // namespace
}  // namespace seekless
