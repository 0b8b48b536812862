#include "packer/pack/internal/tables.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/asset_path.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Slots, every_hash_is_found_and_no_other) {
  for (const size_t count : {0, 1, 2, 3, 100, 5000}) {
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i < count; ++i)
      hashes.push_back(hash_asset_path("path " + std::to_string(i), 0, false));
    const auto slots = build_slots(hashes);
    ASSERT_TRUE(slots);
    EXPECT_TRUE(runtime::valid_slots(*slots, count));
    const auto hash_of = [&](uint32_t index) { return hashes[index]; };
    for (uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(runtime::find_in_slots(std::span<const format::Slot>(*slots), hashes[i], hash_of),
                i);
    EXPECT_EQ(runtime::find_in_slots(std::span<const format::Slot>(*slots), 12345, hash_of),
              format::kEmptySlot);
  }
}

TEST(Slots, hashes_that_crowd_are_an_error) {
  std::vector<uint64_t> hashes(3000);
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = i;
  const auto slots = build_slots(hashes);
  ASSERT_FALSE(slots);
  EXPECT_THAT(slots.error().message, HasSubstr("more than 2048 in a row"));
}

TEST(Names, of_no_path_are_a_header) {
  const Names names = build_names({});
  EXPECT_EQ(names.chunk_count, 0U);
  EXPECT_EQ(names.bytes.size(), sizeof(format::NamesHeader));
}

TEST(Names, are_compressed_by_chunks_of_256) {
  std::vector<std::string> paths;
  for (int i = 0; i < 257; ++i) paths.push_back("a/long/folder/with/file-" + std::to_string(i));
  const std::vector<std::string_view> views(paths.begin(), paths.end());
  const Names names = build_names(views);
  EXPECT_EQ(names.chunk_count, 2U);
  EXPECT_LT(names.bytes.size(), 256 * 12U);
}

TEST(HashSeed, is_the_first_one_without_a_collision) {
  const std::vector<std::string_view> paths = {"a", "b", "c"};
  const auto seed = choose_hash_seed(paths, false, hash_asset_path);
  ASSERT_TRUE(seed);
  EXPECT_EQ(*seed, 0U);
  // Two paths have the same hash under the seeds 0 and 1.
  const auto weak = [](std::string_view path, uint64_t value, bool fold) {
    return value < 2 && path != "b" ? 7 : hash_asset_path(path, value, fold);
  };
  const auto other = choose_hash_seed(paths, false, weak);
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, 2U);
}

TEST(HashSeed, names_both_paths_when_no_seed_helps) {
  const std::vector<std::string_view> paths = {"x", "first", "y", "second"};
  const auto broken = [](std::string_view path, uint64_t seed, bool fold) {
    return path.size() > 1 ? 7 : hash_asset_path(path, seed, fold);
  };
  const auto seed = choose_hash_seed(paths, false, broken);
  ASSERT_FALSE(seed);
  EXPECT_THAT(seed.error().message, AllOf(HasSubstr("first"), HasSubstr("second")));
  const std::vector<std::string_view> cases = {"A/b", "a/B"};
  EXPECT_TRUE(choose_hash_seed(cases, false, hash_asset_path));
  EXPECT_FALSE(choose_hash_seed(cases, true, hash_asset_path));
}

}  // namespace
}  // namespace seekless
