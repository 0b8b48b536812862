#include "packer/mentions/internal/definitions.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> blocks_of(const Definitions& definitions, const std::string& name) {
  std::vector<std::string> blocks;
  for (const Definition& of : definitions.of(name)) blocks.emplace_back(of.block);
  return blocks;
}

TEST(Definitions, are_names_with_blocks_in_the_ways_of_shaders_and_json) {
  Definitions definitions;
  EXPECT_TRUE(
      definitions.add(7, "// all of them\ntextures/sky/Dusk // a sky\n{\n{ map a.tga }\n}\n"));
  EXPECT_TRUE(definitions.add(8, R"({"Tower": {"model": ["t.pie"]}, "n": 3, units = { x }})"));
  EXPECT_THAT(blocks_of(definitions, "textures/sky/dusk"), ElementsAre("\n{ map a.tga }\n}"));
  EXPECT_THAT(blocks_of(definitions, "tower"), ElementsAre(R"("model": ["t.pie"]})"));
  EXPECT_THAT(blocks_of(definitions, "units"), ElementsAre(" x }"));
  EXPECT_EQ(definitions.of("tower").front().asset, 8U);
  EXPECT_THAT(blocks_of(definitions, "model"), IsEmpty());
}

TEST(Definitions, of_one_name_in_several_texts_all_count) {
  Definitions definitions;
  definitions.add(1, "rock { a }");
  definitions.add(2, "ROCK { b }");
  EXPECT_THAT(blocks_of(definitions, "rock"), ElementsAre(" a }", " b }"));
}

TEST(Definitions, of_blocks_that_never_end_are_cut_off) {
  Definitions definitions;
  EXPECT_TRUE(definitions.add(1, "rock {" + std::string(100'000, 'a')));
  EXPECT_EQ(definitions.of("rock").front().block.size(), 20'000U);
}

TEST(Definitions, of_a_name_that_is_defined_all_over_are_none) {
  Definitions definitions;
  std::string text;
  for (int i = 0; i < 9; ++i) text += "node { a }";
  EXPECT_TRUE(definitions.add(1, text + "rock { b }"));
  EXPECT_THAT(blocks_of(definitions, "node"), IsEmpty());
  EXPECT_THAT(blocks_of(definitions, "rock"), ElementsAre(" b }"));
}

// A million nested blocks; each must be closed only once.
TEST(Definitions, in_each_other_take_no_time) {
  Definitions definitions;
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "abc{";
  EXPECT_TRUE(definitions.add(1, text));
  EXPECT_THAT(blocks_of(definitions, "abc"), IsEmpty());
}

TEST(Definitions, need_a_name_and_a_block) {
  Definitions definitions;
  EXPECT_FALSE(definitions.add(1, ""));
  EXPECT_FALSE(definitions.add(1, "{ map a.tga }"));
  EXPECT_FALSE(definitions.add(1, "rock; { map a.tga }"));
  EXPECT_FALSE(definitions.add(1, "ab { map a.tga }"));
  EXPECT_FALSE(definitions.add(1, "//"));
}

}  // namespace
}  // namespace seekless
