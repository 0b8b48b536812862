#include "packer/patch/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/update/set_change.h"
#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

using testing::IsEmpty;

SetFiles files_of(const SetMaker& set) {
  auto files = open_set_files(set.folder());
  EXPECT_TRUE(files) << files.error().message;
  return files.value_or(SetFiles());
}

std::vector<std::string> paths(const std::vector<AssetChange>& changes) {
  std::vector<std::string> found;
  for (const AssetChange& change : changes) found.push_back(change.path);
  return found;
}

struct TwoSets : testing::Test {
  TwoSets() {
    for (SetMaker* set : {&old, &now}) {
      set->add_pack("common");
      set->add("same", noise(3000, 1));
    }
    old.add("gone", noise(2000, 2));
    old.add("edited", noise(4000, 3));
    now.add("edited", noise(4100, 4));
    now.add("new", noise(500, 5));
    for (SetMaker* set : {&old, &now}) set->add_pack("cold", PackKind::cold);
    old.add("goes", noise(700, 6));
    now.add("stays", noise(800, 7));
    old.add("stays", noise(800, 7));
    old.write();
    now.write();
  }
  SetMaker old;
  SetMaker now;
};

TEST_F(TwoSets, are_told_apart_asset_by_asset) {
  const auto changes = compare_sets(files_of(old), files_of(now));
  ASSERT_TRUE(changes) << changes.error().message;
  EXPECT_THAT(paths(changes->added), testing::ElementsAre("new"));
  EXPECT_THAT(paths(changes->removed), testing::ElementsAre("goes", "gone"));
  EXPECT_THAT(paths(changes->changed), testing::ElementsAre("edited"));
  EXPECT_THAT(paths(changes->moved), testing::ElementsAre("stays"));
  EXPECT_EQ(changes->same_assets, 1U);
  EXPECT_EQ(changes->changed[0].old_bytes, 4000U);
  EXPECT_EQ(changes->changed[0].new_bytes, 4100U);
}

TEST_F(TwoSets, that_are_one_need_no_patch) {
  const SetFiles files = files_of(old);
  const auto changes = compare_sets(files, files);
  ASSERT_TRUE(changes);
  EXPECT_THAT(changes->changed, IsEmpty());
  EXPECT_EQ(changes->same_assets, 5U);
  const auto change = measure_change(files, files);
  ASSERT_TRUE(change);
  EXPECT_THAT(change->changed, IsEmpty());
}

TEST_F(TwoSets, cost_no_more_than_the_new_one) {
  const auto change = measure_change(files_of(old), files_of(now));
  ASSERT_TRUE(change) << change.error().message;
  const PatchBytes size = change->total();
  uint64_t bytes = 0;
  for (const SetFile& file : files_of(now).files) bytes += file.size_bytes;
  EXPECT_LE(size.grid_bytes, bytes);
  EXPECT_GT(size.chunk_bytes, 4600U);
  EXPECT_LE(size.chunk_bytes, bytes);
}

TEST_F(TwoSets, with_a_pack_of_another_set_are_refused) {
  std::filesystem::remove(now.file("cold.skl"));  // GCC's library for Windows overwrites nothing
  std::filesystem::copy_file(old.file("cold.skl"), now.file("cold.skl"));
  const auto files = open_set_files(now.folder());
  ASSERT_FALSE(files);
  EXPECT_THAT(files.error().message, testing::HasSubstr("interrupted"));
}

}  // namespace
}  // namespace seekless
