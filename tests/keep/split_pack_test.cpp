#include "packer/keep/internal/split_pack.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;

TEST(SplitPack, parts_have_the_order_and_free_names) {
  LaidPack pack = {"music", PackKind::cold, {}};
  PathPool paths;
  for (const uint64_t bytes : {400, 500, 200, 2000, 0, 100}) {
    LaidAsset& asset = pack.assets.emplace_back();
    asset.path = paths.add("asset of " + std::to_string(bytes));
    asset.size_bytes = bytes;
  }
  PackNames names;
  for (const char* taken : {"music", "Music-2", "other"}) names.take(taken);
  const std::vector<LaidPack> parts = split_pack(pack, UINT64_MAX, 1000, names);
  std::vector<std::string> found;
  for (const LaidPack& part : parts) {
    EXPECT_EQ(part.kind, PackKind::cold);
    found.push_back(part.name + ": " + std::to_string(part.size_bytes()));
  }
  EXPECT_THAT(found, ElementsAre("music: 900", "music-3: 200", "music-4: 2000", "music-5: 100"));
  EXPECT_EQ(split_pack(pack, UINT64_MAX, UINT64_MAX, names), std::vector<LaidPack>{pack});
}

TEST(SplitPack, parts_are_as_large_as_each_other) {
  LaidPack pack = {"common", PackKind::common, {}};
  PathPool paths;
  for (int i = 0; i < 100; ++i) {
    LaidAsset& asset = pack.assets.emplace_back();
    asset.path = paths.add("asset " + std::to_string(i));
    asset.size_bytes = 100;
  }
  PackNames names;
  names.take("common");
  EXPECT_EQ(split_pack(pack, 7'000, UINT64_MAX, names).size(), 1U);
  std::vector<uint64_t> sizes;
  for (const LaidPack& part : split_pack(pack, 3'000, UINT64_MAX, names))
    sizes.push_back(part.size_bytes());
  EXPECT_THAT(sizes, ElementsAre(2'500, 2'500, 2'500, 2'500));
}

TEST(SplitPack, a_part_is_known_by_its_name) {
  for (const char* part : {"music", "music-2", "music-2-13"})
    EXPECT_TRUE(is_part_of(part, "music"));
  for (const char* other : {"musi", "music2", "music-", "music-a", "music-2-"})
    EXPECT_FALSE(is_part_of(other, "music")) << other;
}

TEST(SplitPack, parts_are_small_beside_the_content_but_long_beside_a_jump) {
  EXPECT_EQ(part_bytes_of(uint64_t{64} << 30, 700'000), uint64_t{512} << 20);
  EXPECT_EQ(part_bytes_of(40'000'000, 700'000), 128U * 700'000);
}

}  // namespace
}  // namespace seekless
