#include "packer/keep/patch_layout.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/update/patch_forecast.h"
#include "runtime/pack_format.h"
#include "tests/plan/made_content.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kBlockBytes = 2 * 1024 * 1024;
constexpr Sizes kAllSizes[] = {Sizes::log_normal, Sizes::wide,      Sizes::uniform,
                               Sizes::equal,      Sizes::two_kinds, Sizes::heavy_tail};

// Returns where each asset begins in its file.
std::map<std::string, uint64_t> begins_of(const LaidPack& pack) {
  std::vector<uint64_t> blocks = {pack.places->data_offset_bytes};
  for (const uint32_t raw_bytes : pack.places->block_raw_bytes)
    blocks.push_back(blocks.back() + format::round_up(raw_bytes, format::kPageBytes));
  std::map<std::string, uint64_t> begins;
  for (size_t i = 0; i < pack.assets.size(); ++i)
    begins[std::string(pack.assets[i].path)] =
        blocks[pack.places->assets[i].block] + pack.places->assets[i].offset_bytes;
  return begins;
}

// A kept layout has no sources.
void expect_sound(Layout layout) {
  layout.sources = {{.path = "made"}};
  const auto checked = check_layout(layout, "test");
  EXPECT_TRUE(checked) << checked.error().message;
}

std::set<std::string> paths_of(const Layout& layout) {
  std::set<std::string> paths;
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets) paths.emplace(asset.path);
  return paths;
}

TEST(PatchLayout, a_fresh_one_is_sound_and_pads_little_whatever_the_sizes) {
  for (const Sizes sizes : kAllSizes)
    for (const uint32_t block_bytes : {kBlockBytes, 65536U, 16U << 20}) {
      const MadeContent made(sizes, 1000, 175'000'000, 1);
      const Layout layout = place_layout(made.layout(2, 3, block_bytes), made.hashed());
      expect_sound(layout);
      EXPECT_EQ(paths_of(layout).size(), 1000U);
      EXPECT_LT(padding_of(layout).share(), kMostPaddingShare) << name_of(sizes) << block_bytes;
    }
}

TEST(PatchLayout, small_assets_hardly_ever_cross_a_line_of_the_grid) {
  const MadeContent made(Sizes::log_normal, 1000, 175'000'000, 2);
  const Layout layout = place_layout(made.layout(1, 2, kBlockBytes), made.hashed());
  const auto begins = begins_of(layout.packs[0]);
  int crossing = 0;
  for (const LaidAsset& asset : layout.packs[0].assets) {
    const uint64_t begin = begins.at(std::string(asset.path));
    if (asset.size_bytes <= kGridBytes &&
        begin / kGridBytes != (begin + asset.size_bytes - 1) / kGridBytes)
      ++crossing;
  }
  EXPECT_LE(crossing, 20);
}

TEST(PatchLayout, equal_content_gets_one_place_aligned_for_all) {
  MadeContent made(Sizes::equal, 4, 40'000, 3);
  for (Asset& asset : made.content.assets) asset.place.size_bytes = 10'000;
  made.hashes[3] = made.hashes[1];
  Layout planned = made.layout(1, 1, kBlockBytes);
  planned.packs[0].assets[3].alignment_bytes = 4096;
  const Layout layout = place_layout(planned, made.hashed());
  expect_sound(layout);
  const auto begins = begins_of(layout.packs[0]);
  EXPECT_EQ(begins.at(made.content.assets[1].path), begins.at(made.content.assets[3].path));
  EXPECT_EQ(begins.at(made.content.assets[3].path) % 4096, 0U);
}

TEST(PatchLayout, without_a_change_nothing_changes) {
  for (const Sizes sizes : kAllSizes) {
    const MadeContent made(sizes, 600, 100'000'000, 4);
    const Layout layout = place_layout(made.layout(2, 2, kBlockBytes), made.hashed());
    const LayoutLock lock = make_lock(layout, made.hashed());
    const LockedAssets kept = keep_layout(lock, made.hashed());
    EXPECT_EQ(kept.layout.packs, layout.packs) << name_of(sizes);
    EXPECT_THAT(kept.moved, IsEmpty());
    EXPECT_EQ(make_lock(kept.layout, made.hashed()), lock);
    EXPECT_EQ(predict_patch(lock, kept.layout, made.hashed()).total(), PatchBytes());
  }
}

TEST(PatchLayout, an_edit_that_fits_moves_nothing) {
  MadeContent made(Sizes::log_normal, 300, 50'000'000, 5);
  const Layout layout = place_layout(made.layout(1, 1, kBlockBytes), made.hashed());
  const LayoutLock lock = make_lock(layout, made.hashed());
  const auto before = begins_of(layout.packs[0]);
  made.content.assets[7].place.size_bytes -= 100;
  made.hashes[7] = {1, 2, 3};
  const LockedAssets kept = keep_layout(lock, made.hashed());
  expect_sound(kept.layout);
  EXPECT_EQ(begins_of(kept.layout.packs[0]), before);
  EXPECT_THAT(kept.changed, ElementsAre(std::string(made.content.assets[7].path)));
  const PatchForecast forecast = predict_patch(lock, kept.layout, made.hashed());
  EXPECT_EQ(forecast.edited_bytes, made.content.assets[7].place.size_bytes);
  EXPECT_GE(forecast.packs[0].patch.chunk_bytes, forecast.edited_bytes);
}

TEST(PatchLayout, new_assets_go_to_the_cold_pack_and_removed_ones_leave_holes) {
  MadeContent made(Sizes::log_normal, 300, 50'000'000, 6);
  const Layout layout = place_layout(made.layout(2, 1, kBlockBytes), made.hashed());
  const LayoutLock lock = make_lock(layout, made.hashed());
  const std::string gone(made.content.assets[10].path);
  made.remove(10);
  made.add("zz new", 5000);
  const LockedAssets kept = keep_layout(lock, made.hashed());
  expect_sound(kept.layout);
  EXPECT_THAT(kept.added, ElementsAre("zz new"));
  EXPECT_THAT(kept.removed, ElementsAre(gone));
  ASSERT_EQ(kept.layout.packs.size(), 2U);
  EXPECT_TRUE(begins_of(kept.layout.packs[1]).contains("zz new"));
  const auto before = begins_of(layout.packs[0]);
  for (const auto& [path, begin] : begins_of(kept.layout.packs[0]))
    EXPECT_EQ(before.at(path), begin);
}

TEST(PatchLayout, a_rule_excludes_and_pins) {
  MadeContent made(Sizes::log_normal, 50, 5'000'000, 7);
  const LayoutLock lock =
      make_lock(place_layout(made.layout(2, 1, kBlockBytes), made.hashed()), made.hashed());
  made.add("zz new", 5000);
  std::vector<AssetRules> rules(made.content.assets.size());
  rules.back().pack = "pack0";
  rules[3].excluded = true;
  const LockedAssets kept = keep_layout(lock, made.hashed(), rules);
  expect_sound(kept.layout);
  EXPECT_TRUE(begins_of(kept.layout.packs[0]).contains("zz new"));
  EXPECT_THAT(kept.removed, ElementsAre(std::string(made.content.assets[3].path)));
}

TEST(PatchLayout, content_that_becomes_equal_or_different_is_placed_so) {
  MadeContent made(Sizes::equal, 40, 4'000'000, 8);
  for (Asset& asset : made.content.assets) asset.place.size_bytes = 100'000;
  made.hashes[5] = made.hashes[6];
  const LayoutLock lock =
      make_lock(place_layout(made.layout(1, 1, kBlockBytes), made.hashed()), made.hashed());
  made.hashes[5] = {9, 9, 9};         // no longer equal to 6
  made.hashes[20] = made.hashes[21];  // equal now
  const LockedAssets kept = keep_layout(lock, made.hashed());
  expect_sound(kept.layout);
  const auto begins = begins_of(kept.layout.packs[0]);
  EXPECT_NE(begins.at(made.content.assets[5].path), begins.at(made.content.assets[6].path));
  EXPECT_EQ(begins.at(made.content.assets[20].path), begins.at(made.content.assets[21].path));
}

// Applies many random edits, additions and removals in a row.
TEST(PatchLayout, stays_sound_and_repeats_itself_through_any_changes) {
  for (const Sizes sizes : kAllSizes)
    for (const uint32_t block_bytes : {kBlockBytes, 65536U}) {
      MadeContent made(sizes, 200, 35'000'000, 9);
      Layout layout = place_layout(made.layout(2, 2, block_bytes), made.hashed());
      for (uint32_t round = 0; round < 12; ++round) {
        const LayoutLock lock = make_lock(layout, made.hashed());
        made.edit(0.05);
        if (round % 2 == 0) made.remove(round * 7 % made.content.assets.size());
        if (round % 3 == 0) made.add(fmt::format("new-{}", round), round * 700'000 + 1);
        if (round % 4 == 3) made.edit_one(round, round == 3 ? 0 : 5'000'000);
        const LockedAssets kept = keep_layout(lock, made.hashed());
        expect_sound(kept.layout);
        EXPECT_EQ(paths_of(kept.layout).size(), made.content.assets.size());
        EXPECT_EQ(keep_layout(lock, made.hashed()).layout, kept.layout);
        layout = kept.layout;
        const LayoutLock now = make_lock(layout, made.hashed());
        EXPECT_EQ(keep_layout(now, made.hashed()).layout, layout);
      }
    }
}

TEST(PatchLayout, an_empty_content_empties_the_packs) {
  MadeContent made(Sizes::equal, 3, 3000, 10);
  const LayoutLock lock =
      make_lock(place_layout(made.layout(1, 1, kBlockBytes), made.hashed()), made.hashed());
  while (!made.content.assets.empty()) made.remove(0);
  const LockedAssets kept = keep_layout(lock, made.hashed());
  EXPECT_THAT(kept.layout.packs, IsEmpty());
  EXPECT_EQ(kept.removed.size(), 3U);
}

// Edits 2 % of the assets. The limit counts the bytes expected to be edited, because a few edits of
// small assets also cost whole cells.
TEST(PatchLayout, a_patch_is_a_small_multiple_of_what_was_edited) {
  double grid = 0;
  double chunks = 0;
  double edited = 0;
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    MadeContent made(Sizes::log_normal, 3000, 526'000'000, seed);
    const Layout layout = place_layout(made.layout(1, 2, kBlockBytes), made.hashed());
    const LayoutLock lock = make_lock(layout, made.hashed());
    edited += static_cast<double>(made.edit(0.02));
    const LockedAssets kept = keep_layout(lock, made.hashed());
    EXPECT_LT(kept.padding.share(), kMostPaddingShare);
    EXPECT_FALSE(kept.is_relayout_due);
    const PatchBytes patch = predict_patch(lock, kept.layout, made.hashed()).total();
    grid += static_cast<double>(patch.grid_bytes);
    chunks += static_cast<double>(patch.chunk_bytes);
  }
  EXPECT_LT(grid, 6 * 0.02 * 526e6 * 5);
  EXPECT_LT(chunks, 1.3 * edited);
}

TEST(PatchLayout, ten_builds_in_a_row_keep_padding_and_patch_in_bounds) {
  for (const Sizes sizes : kAllSizes) {
    MadeContent made(sizes, 3000, 526'000'000, 11);
    Layout layout = place_layout(made.layout(2, 2, kBlockBytes), made.hashed());
    for (int build = 0; build < 10; ++build) {
      const LayoutLock lock = make_lock(layout, made.hashed());
      const uint64_t edited = made.edit(0.01);
      layout = keep_layout(lock, made.hashed()).layout;
      const PatchBytes patch = predict_patch(lock, layout, made.hashed()).total();
      EXPECT_LT(patch.chunk_bytes, edited + edited / 2 + 1'500'000) << name_of(sizes) << build;
      // If all assets have about the same size, no small ones fill the gap that a grown one leaves.
      const double most = sizes == Sizes::equal ? 0.08 : kMostPaddingShare;
      EXPECT_LT(padding_of(layout).share(), most) << name_of(sizes) << build;
    }
  }
}

}  // namespace
}  // namespace seekless
