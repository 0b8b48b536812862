#include "packer/layout/placement.h"

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/pack_format.h"

namespace seekless {
namespace {

using testing::ElementsAre;

constexpr uint32_t kBlock = 65536;

std::vector<AssetToPlace> to_place(const std::vector<uint64_t>& sizes, uint32_t alignment = 64) {
  std::vector<AssetToPlace> assets;
  for (const uint64_t size : sizes)
    assets.push_back({size, alignment, static_cast<uint32_t>(assets.size())});
  return assets;
}

std::vector<uint32_t> raw_bytes(const Placement& placement) {
  std::vector<uint32_t> sizes;
  for (const PlacedBlock& block : placement.blocks) sizes.push_back(block.raw_bytes);
  return sizes;
}

TEST(Placement, of_nothing_has_no_block) {
  const Placement placement = place_assets({}, kBlock);
  EXPECT_TRUE(placement.blocks.empty());
  EXPECT_TRUE(placement.order.empty());
}

TEST(Placement, of_empty_assets_alone_has_no_block) {
  const Placement placement = place_assets(to_place({0, 0}), kBlock);
  EXPECT_TRUE(placement.blocks.empty());
  EXPECT_THAT(placement.order, ElementsAre(0, 1));
}

TEST(Placement, aligns_each_asset_within_its_block) {
  const Placement placement = place_assets(to_place({1, 65, 10}), kBlock);
  EXPECT_THAT(raw_bytes(placement), ElementsAre(64 + 128 + 10));
  EXPECT_EQ(placement.places[1].offset_bytes, 64U);
  EXPECT_EQ(placement.places[2].offset_bytes, 192U);
}

TEST(Placement, an_asset_of_a_whole_block_gets_one) {
  const Placement placement = place_assets(to_place({10, kBlock, 10}), kBlock);
  EXPECT_THAT(raw_bytes(placement), ElementsAre(10, kBlock, 10));
}

TEST(Placement, a_block_ends_where_the_next_asset_would_not_fit) {
  const Placement placement = place_assets(to_place({kBlock - 64, 64, 1}), kBlock);
  EXPECT_THAT(raw_bytes(placement), ElementsAre(kBlock, 1));
  const Placement tight = place_assets(to_place({kBlock - 63, 63}), kBlock);
  EXPECT_THAT(raw_bytes(tight), ElementsAre(kBlock - 63, 63));
}

TEST(Placement, a_large_asset_starts_a_block_and_shares_its_last) {
  const Placement placement = place_assets(to_place({5, 2 * kBlock + 100, 7, kBlock}), kBlock);
  EXPECT_THAT(raw_bytes(placement), ElementsAre(5, kBlock, kBlock, 128 + 7, kBlock));
  EXPECT_EQ(placement.places[1].block, 1U);
  EXPECT_EQ(placement.places[2].block, 3U);
  EXPECT_EQ(placement.places[2].offset_bytes, 128U);
  EXPECT_EQ(placement.blocks[2].first, 2U) << "none starts there; the next one starts later";
}

TEST(Placement, a_large_asset_of_whole_blocks_leaves_none_open) {
  const Placement placement = place_assets(to_place({3 * kBlock, 1}), kBlock);
  EXPECT_THAT(raw_bytes(placement), ElementsAre(kBlock, kBlock, kBlock, 1));
}

// A reader of the first asset shouldn't have to read all of the other readers' assets.
TEST(Placement, a_block_of_several_readers_ends_when_it_holds_enough) {
  std::vector<AssetToPlace> assets = to_place({20'000, 30'000, 30'000, 30'000, 30'000, 30'000});
  for (size_t i = 1; i < assets.size(); ++i) assets[i].readers = 1;
  EXPECT_THAT(raw_bytes(place_assets(assets, 1 << 20)), ElementsAre(80'048, 90'032));
  for (AssetToPlace& asset : assets) asset.readers = 1;
  EXPECT_THAT(raw_bytes(place_assets(assets, 1 << 20)), ElementsAre(170'096));
}

TEST(Placement, equal_content_gets_one_place_with_nothing_between) {
  std::vector<AssetToPlace> assets = to_place({3 * kBlock, 0, 9, 3 * kBlock, 9});
  assets[3].same_as = 0;
  assets[4].same_as = 2;
  const Placement placement = place_assets(assets, kBlock);
  EXPECT_THAT(raw_bytes(placement), ElementsAre(kBlock, kBlock, kBlock, 9));
  EXPECT_THAT(placement.order, ElementsAre(1, 0, 3, 2, 4));
}

TEST(Placement, holds_its_promises_for_any_content) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  for (int round = 0; round < 300; ++round) {
    const uint32_t block = kBlock << below(3);
    std::vector<AssetToPlace> assets;
    for (uint32_t i = 0, count = below(60); i < count; ++i) {
      AssetToPlace asset = {below(2000), 1U << below(13), i};
      if (below(10) == 0) asset.size_bytes = 0;
      if (below(8) == 0) asset.size_bytes = block - 5 + below(10);
      if (below(15) == 0) asset.size_bytes = uint64_t{below(4)} * block + below(3);
      if (i > 0 && below(6) == 0) {
        const uint32_t original = assets[below(i)].same_as;
        asset = {assets[original].size_bytes, asset.alignment_bytes, original};
        if (asset.size_bytes == 0) asset.same_as = i;
      }
      assets.push_back(asset);
    }
    const Placement placement = place_assets(assets, block);

    uint64_t end = 0;  // computed as if all blocks were full
    std::vector<bool> seen(assets.size(), false);
    for (const uint32_t i : placement.order) {
      ASSERT_FALSE(seen[i]);
      seen[i] = true;
      const AssetPlace place = placement.places[i];
      const uint64_t start = uint64_t{place.block} * block + place.offset_bytes;
      if (assets[i].size_bytes == 0) continue;
      if (assets[i].same_as != i) {
        const AssetPlace original = placement.places[assets[i].same_as];
        ASSERT_EQ(place.block, original.block);
        ASSERT_EQ(place.offset_bytes, original.offset_bytes);
        continue;
      }
      ASSERT_EQ(place.offset_bytes % assets[i].alignment_bytes, 0U);
      ASSERT_GE(start, end) << "overlaps";
      end = start + assets[i].size_bytes;
      if (assets[i].size_bytes > block) {
        ASSERT_EQ(place.offset_bytes, 0U);
        for (uint64_t k = 0; k < assets[i].size_bytes / block; ++k)
          ASSERT_EQ(placement.blocks[place.block + k].raw_bytes, block);
      } else {
        ASSERT_LE(place.offset_bytes + assets[i].size_bytes,
                  placement.blocks[place.block].raw_bytes)
            << "straddles";
      }
    }
    ASSERT_EQ(seen, std::vector<bool>(assets.size(), true));
    for (size_t i = 0; i < placement.blocks.size(); ++i) {
      ASSERT_GT(placement.blocks[i].raw_bytes, 0U);
      ASSERT_LE(placement.blocks[i].raw_bytes, block);
      const uint32_t first = placement.blocks[i].first;
      ASSERT_TRUE(first == assets.size() || placement.places[placement.order[first]].block >= i);
      ASSERT_TRUE(first == 0 || placement.places[placement.order[first - 1]].block < i);
    }
  }
}

}  // namespace
}  // namespace seekless
