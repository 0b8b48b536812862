// Tests where files lie, and which requests for places are refused.
#include "packer/simulate/disk_map.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/sizes.h"
#include "tests/simulate/disk.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<PlaceRule> rules(const std::vector<std::string>& texts) {
  std::vector<PlaceRule> parsed;
  for (const std::string& text : texts) parsed.push_back(parse_place(text).value());
  return parsed;
}

const std::vector<FileToPlace> kFiles = {
    {"/g/base.wz", 5000}, {"/g/mp.wz", 4096}, {"/g/sub/mp.wz", 1}, {"/g/empty", 0}};

std::string refused(const std::vector<FileToPlace>& files, const std::vector<std::string>& texts) {
  const auto placed = place_files(files, rules(texts), disk());
  if (placed) return "";
  EXPECT_EQ(placed.error().kind, ErrorKind::usage);
  return placed.error().message;
}

TEST(PlaceRules, name_a_file_and_a_page) {
  const auto rule = parse_place("base.wz=600G");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->name, "base.wz");
  EXPECT_EQ(rule->position_bytes, 600 * kGB);
  EXPECT_EQ(parse_place("a=b=300G")->name, "a=b");
  EXPECT_EQ(parse_place("a=5000")->position_bytes, 4096U);
  EXPECT_EQ(parse_place("a=2Ti")->position_bytes, uint64_t{2} << 40);
  for (const char* text :
       {"", "a", "a=", "=1G", "a=1X", "a=-1", "a=1.5G", "a=99999999999999999999"})
    EXPECT_FALSE(parse_place(text)) << text;
}

TEST(PlaceFiles, lie_one_behind_the_other_at_whole_pages) {
  EXPECT_THAT(place_files(kFiles, {}, disk()).value(), ElementsAre(0, 8192, 12288, 16384));
}

TEST(PlaceFiles, lie_where_rules_say_and_the_others_around_them) {
  EXPECT_THAT(place_files(kFiles, rules({"base.wz=600G"}), disk()).value(),
              ElementsAre(600 * kGB, 0, 4096, 8192));
  // The first file fits in front of the placed one, the others don't.
  const std::vector<FileToPlace> files = {{"a", 4096}, {"b", 9000}, {"c", 4096}, {"d", 100}};
  EXPECT_THAT(place_files(files, rules({"d=8192"}), disk()).value(),
              ElementsAre(0, 12288, 24576, 8192));
}

TEST(PlaceFiles, place_packs_right_behind_each_other_where_asked) {
  EXPECT_THAT(place_files(kFiles, rules({"base.wz=0", "g/mp.wz=8192"}), disk()).value(),
              ElementsAre(0, 8192, 12288, 16384));
}

TEST(PlaceFiles, refuse_what_ends_beyond_the_drive) {
  EXPECT_THAT(refused(kFiles, {"base.wz=1000200G"}),
              AllOf(HasSubstr("base.wz"), HasSubstr("1000200000000")));
  EXPECT_THAT(refused({{"huge", 2000 * kGB}}, {}), HasSubstr("huge"));
  EXPECT_THAT(refused({{"first", 600 * kGB}, {"second", 600 * kGB}}, {}), HasSubstr("second"));
  EXPECT_THAT(refused({{"a", UINT64_MAX}}, {}), HasSubstr("larger drive"));
}

TEST(PlaceFiles, refuse_places_that_overlap) {
  EXPECT_THAT(refused(kFiles, {"base.wz=1G", "g/mp.wz=1000004096"}),
              AllOf(HasSubstr("base.wz"), HasSubstr("mp.wz"), HasSubstr("overlaps")));
  EXPECT_THAT(refused(kFiles, {"base.wz=1G", "base.wz=2G"}), HasSubstr("two"));
}

TEST(CheckPlaces, wants_rules_to_name_one_file_of_content_or_packs) {
  const std::vector<FileToPlace> packs = {{"p/catalog.skl", 100}, {"p/common.skl", 100}};
  EXPECT_TRUE(check_places(rules({"base.wz=0", "common.skl=0", "sub/mp.wz=1G"}), kFiles, packs));
  const auto unknown = check_places(rules({"bas.wz=0"}), kFiles, packs);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
  EXPECT_THAT(unknown.error().message,
              AllOf(HasSubstr("bas.wz"), HasSubstr("/g/base.wz"), HasSubstr("p/common.skl")));
  const auto several = check_places(rules({"mp.wz=0"}), kFiles, packs);
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().message, HasSubstr("/g/sub/mp.wz"));
}

TEST(CheckPlaces, lists_no_more_names_than_a_line_takes) {
  std::vector<FileToPlace> many;
  for (int i = 0; i < 1000; ++i) many.push_back({"file-" + std::to_string(i), 1});
  const auto unknown = check_places(rules({"x=0"}), many, {});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("and 992 more"));
}

}  // namespace
}  // namespace seekless
