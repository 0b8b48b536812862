#include "packer/project/depfile.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string text_of(const std::string& input) {
  return make_depfile("out", {input}).text;
}

TEST(Depfile, is_a_rule_and_an_empty_one_for_each_input) {
  EXPECT_EQ(make_depfile("packs/catalog.skl", {"game/b", "game/a"}).text,
            "packs/catalog.skl: \\\n  game/a \\\n  game/b\n\ngame/a:\n\ngame/b:\n");
}

TEST(Depfile, of_nothing_is_a_rule_without_inputs) {
  EXPECT_EQ(make_depfile("out", {}).text, "out:\n");
}

TEST(Depfile, names_each_input_once_in_one_order) {
  EXPECT_EQ(make_depfile("out", {"b", "a", "b"}).text, make_depfile("out", {"a", "b"}).text);
}

TEST(Depfile, escapes_spaces_hashes_colons_and_dollars) {
  EXPECT_THAT(text_of("Program Files/a b"), HasSubstr("  Program\\ Files/a\\ b\n"));
  EXPECT_THAT(text_of("c#"), HasSubstr("  c\\#\n"));
  EXPECT_THAT(text_of("c:/x"), HasSubstr("  c\\:/x\n"));
  EXPECT_THAT(text_of("$(HOME)/x"), HasSubstr("  $$(HOME)/x\n"));
}

TEST(Depfile, doubles_backslashes_before_spaces_alone) {
  EXPECT_THAT(text_of("a\\b"), HasSubstr("  a\\b\n"));
  EXPECT_THAT(text_of("a\\ b"), HasSubstr("  a\\\\\\ b\n"));
  EXPECT_THAT(text_of("a\\\\ b"), HasSubstr("  a\\\\\\\\\\ b\n"));
}

TEST(Depfile, escapes_its_target) {
  EXPECT_THAT(make_depfile("my packs/$a", {}).text, "my\\ packs/$$a:\n");
}

TEST(Depfile, makes_no_pattern_rule_of_a_percent_sign) {
  EXPECT_EQ(text_of("100%"), "out: \\\n  100%\n");
}

TEST(Depfile, names_the_folder_of_what_it_cannot_name) {
  for (const std::string name :
       {"Don't", "a*",  "a?",   "a\"", "a&b",   "a;b",   "a<b",   "a>b",  "a|b",  "a^b",
        "a`b",   "k=v", "a(b)", "a\\", "a\\#b", "a\\$b", "a\\:b", "a\nb", "a\tb", "a\x7f"}) {
    const std::string path = "game/" + name;
    EXPECT_FALSE(can_be_in_depfile(path)) << path;
    const Depfile depfile = make_depfile("out", {"x", path});
    EXPECT_THAT(depfile.left_out, ElementsAre(path));
    EXPECT_EQ(depfile.text, "out: \\\n  game \\\n  x\n\ngame:\n\nx:\n");
  }
}

TEST(Depfile, goes_up_to_a_folder_that_it_can_name) {
  EXPECT_THAT(text_of("it's/here's/x'y"), HasSubstr("out: \\\n  .\n"));
  EXPECT_THAT(text_of("/it's/x"), HasSubstr("out: \\\n  /\n"));
  EXPECT_THAT(text_of("~home"), HasSubstr("out: \\\n  .\n"));
}

TEST(Depfile, names_what_content_is_mostly_called) {
  for (const std::string path :
       {"a", "./a-b_c.d~", "/x/tex (1).png", "a[0]", "a{b}", "a!@+,", "100%", "Zürich"}) {
    EXPECT_TRUE(can_be_in_depfile(path)) << path;
    EXPECT_THAT(make_depfile("out", {path}).left_out, IsEmpty());
  }
  EXPECT_FALSE(can_be_in_depfile(""));
}

}  // namespace
}  // namespace seekless
