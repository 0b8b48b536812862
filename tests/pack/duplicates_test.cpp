#include "packer/pack/duplicates.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pack/zipped_asset.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<uint32_t> duplicates_of(const SetMaker& set) {
  ContentReader content(set.layout.sources);
  auto found = find_duplicates(set.layout.packs.back(), content, 3);
  EXPECT_TRUE(found) << found.error().message;
  return found.value_or(std::vector<uint32_t>());
}

TEST(Duplicates, name_the_first_of_equal_content) {
  SetMaker set;
  set.add_pack("p");
  set.add("a", "same");
  set.add("b", "other");
  set.add("c", "same");
  set.add("d", "SAME");
  set.add("e", "same");
  EXPECT_THAT(duplicates_of(set), ElementsAre(0, 1, 0, 3, 0));
}

TEST(Duplicates, empty_assets_have_none) {
  SetMaker set;
  set.add_pack("p");
  set.add("a", "");
  set.add("b", "");
  EXPECT_THAT(duplicates_of(set), ElementsAre(0, 1));
}

TEST(Duplicates, differences_behind_the_sample_are_found) {
  std::string long_content(100'000, 'x');
  SetMaker set;
  set.add_pack("p");
  set.add("a", long_content);
  long_content.back() = 'y';
  set.add("b", long_content);
  set.add("c", long_content);
  EXPECT_THAT(duplicates_of(set), ElementsAre(0, 1, 1));
}

TEST(Duplicates, are_found_between_archives_and_files) {
  const std::string content = noise(3000, 1) + std::string(7000, 'x');
  SetMaker set;
  set.add_pack("p");
  add_zipped(set, "stored", content, 0);
  set.add("loose", content);
  add_zipped(set, "deflated", content, 8);
  add_zipped(set, "other", noise(10000, 2), 8);
  EXPECT_THAT(duplicates_of(set), ElementsAre(0, 0, 0, 3));
}

TEST(Duplicates, an_equal_checksum_is_not_taken_for_equal_content) {
  SetMaker set;
  set.add_pack("p");
  // This is a known pair with the same CRC-32.
  ASSERT_EQ(crc32_of("plumless"), crc32_of("buckeroo"));
  add_zipped(set, "a", "plumless", 0);
  add_zipped(set, "b", "buckeroo", 0);
  EXPECT_THAT(duplicates_of(set), ElementsAre(0, 1));
}

TEST(Duplicates, of_content_that_cannot_be_read_the_first_is_named) {
  SetMaker set;
  set.add_pack("p");
  for (int i = 0; i < 40; ++i) set.add("asset-" + std::to_string(i), "same");
  for (size_t i = 7; i < set.layout.sources.size(); ++i)
    std::filesystem::remove(std::string(set.layout.sources[i].path));
  ContentReader content(set.layout.sources);
  for (const size_t threads : {1, 2, 8}) {
    const auto found = find_duplicates(set.layout.packs.back(), content, threads);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message, HasSubstr(std::string(set.layout.sources[7].path)));
  }
}

}  // namespace
}  // namespace seekless
