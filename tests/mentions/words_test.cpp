#include "packer/mentions/internal/words.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> words_in(std::string_view bytes) {
  std::vector<std::string> words;
  for_each_word(bytes, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(Words, stand_between_what_paths_arent_made_of) {
  EXPECT_THAT(words_in("map = \"models/a.md3\";\n\tsky(env\\dusk)"),
              ElementsAre("map", "models/a.md3", "sky", "env\\dusk"));
  EXPECT_THAT(words_in("\x01\0rock.png\0\0\xff"s), ElementsAre("rock.png"));
  EXPECT_THAT(words_in(""), IsEmpty());
}

TEST(Words, are_neither_too_short_nor_data) {
  EXPECT_THAT(words_in("ab abc"), ElementsAre("abc"));
  EXPECT_THAT(words_in(std::string(kLongestWord + 1, 'A')), IsEmpty());
  EXPECT_THAT(words_in(std::string(kLongestWord, 'A')),
              ElementsAre(std::string(kLongestWord, 'A')));
}

TEST(Words, are_compared_as_paths) {
  EXPECT_EQ(as_name(".\\Models\\Rock.MD3"), "models/rock.md3");
  EXPECT_EQ(as_name("/env/dusk."), "env/dusk");
  EXPECT_EQ(as_name("../.."), "");
  EXPECT_EQ(as_name(""), "");
}

}  // namespace
}  // namespace seekless
