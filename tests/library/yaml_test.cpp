#include "packer/library/internal/yaml.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::HasSubstr;

constexpr std::string_view kBottle = R"(Name: games
Parameters: {dxvk: true}
List: [a, b]
External_Programs:
  1f-2e:
    name: 'A: game'
    path: C:\Games\A\a.exe
    removed: false
)";

std::string fault_in(std::string_view text) {
  const auto parsed = parse_yaml(text, "bottle.yml");
  return parsed ? "" : parsed.error().message;
}

TEST(Yaml, reads_a_bottle) {
  const auto bottle = parse_yaml(kBottle, "");
  ASSERT_TRUE(bottle) << bottle.error().message;
  EXPECT_EQ(bottle->text("Name"), "games");
  const TextNode& program = bottle->find("External_Programs")->children.at(0);
  EXPECT_EQ(program.key, "1f-2e");
  EXPECT_EQ(program.text("name"), "A: game");
  EXPECT_EQ(program.text("path"), R"(C:\Games\A\a.exe)");
  EXPECT_EQ(bottle->find("List")->children.size(), 2U);
}

TEST(Yaml, says_which_line_is_wrong) {
  EXPECT_THAT(fault_in("a: b\nc: [d\n"), HasSubstr("bottle.yml: line"));
  EXPECT_THAT(fault_in("a: b\n\tc: d\n"), HasSubstr("line 2: expected YAML"));
  EXPECT_THAT(fault_in(""), HasSubstr("expected keys and values, found none"));
  EXPECT_THAT(fault_in("only a text"), HasSubstr("expected keys and values"));
  EXPECT_THAT(fault_in(std::string(100'000, '[')), HasSubstr("bottle.yml: line 1"));
}

TEST(Yaml, does_not_grow_by_aliases) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string above = "*a" + std::to_string(i - 1);
    text +=
        "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + above + ", " + above + "]\n";
  }
  const auto parsed = parse_yaml(text, "");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->find("a19")->children.size(), 2U);
}

TEST(Yaml, survives_truncation_and_wrong_bytes) {
  for (size_t size = 0; size < kBottle.size(); ++size) parse_yaml(kBottle.substr(0, size), "");
  std::mt19937 random(1);
  for (int round = 0; round < 2'000; ++round) {
    std::string text(kBottle);
    for (int i = 0; i < 3; ++i)
      text[random() % text.size()] = std::string_view(":[]{}&*-\n\t\0\xff", 12)[random() % 12];
    parse_yaml(text, "");
  }
}

}  // namespace
}  // namespace seekless
