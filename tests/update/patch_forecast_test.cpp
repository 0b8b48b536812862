#include "packer/update/patch_forecast.h"

#include <gtest/gtest.h>

#include "packer/keep/generations.h"
#include "tests/plan/made_content.h"

namespace seekless {
namespace {

constexpr uint32_t kBlockBytes = 2 * 1024 * 1024;
constexpr size_t kEdited = 3;

// Three packs of 10 MB; the asset kEdited, of 200 KB, has a copy in each.
struct WithCopies {
  WithCopies() : made(Sizes::equal, 300, 30'000'000, 1) {
    made.edit_one(kEdited, 200'000);
    lock = make_lock(place(), made.hashed());
  }

  Layout place() const {
    Layout layout = made.layout(3, 1, kBlockBytes);
    const LaidAsset copied = layout.packs[0].assets[kEdited];
    for (size_t pack = 1; pack < 3; ++pack)
      layout.packs[pack].assets.insert(layout.packs[pack].assets.begin() + 10, copied);
    return place_layout(std::move(layout), made.hashed());
  }

  PatchForecast edited(const KeptContent& kept = {}) {
    return predict_patch(lock, place(), made.hashed(), kept);
  }

  MadeContent made;
  LayoutLock lock;
};

TEST(PatchForecast, of_nothing_is_nothing) {
  WithCopies with;
  const PatchForecast forecast = with.edited();
  EXPECT_EQ(forecast.total(), PatchBytes());
  EXPECT_TRUE(forecast.change.changed.empty());
  EXPECT_EQ(forecast.edited_bytes, 0U);
}

TEST(PatchForecast, downloads_an_edited_asset_once_and_writes_every_pack_with_a_copy) {
  WithCopies with;
  with.made.edit_one(kEdited, 200'000);
  const PatchForecast forecast = with.edited();
  EXPECT_EQ(forecast.edited_bytes, 200'000U);
  EXPECT_LT(forecast.total().chunk_bytes, 200'000U + 3 * 80'000U);
  EXPECT_GT(forecast.total().patch_bytes, 200'000U);
  EXPECT_LT(forecast.total().patch_bytes, 300'000U);
  EXPECT_GT(forecast.total().block_bytes, 3 * 200'000U);
  ASSERT_EQ(forecast.change.changed.size(), 4U);  // the catalog also changes
  EXPECT_GT(forecast.change.written_bytes(), 30'000'000U);
}

TEST(PatchForecast, counts_what_an_edit_keeps_where_somebody_has_looked) {
  WithCopies with;
  const format::ContentHash before = with.made.hashes[kEdited];
  with.made.edit_one(kEdited, 200'000);
  const KeptContent kept = {{with.made.hashes[kEdited],
                             {.old_hash = before,
                              .front_bytes = 100'000,
                              .back_bytes = 90'000,
                              .fresh_chunk_bytes = 20'000}}};
  const PatchBytes all = with.edited().total();
  const PatchBytes part = with.edited(kept).total();
  EXPECT_LT(part.chunk_bytes + 100'000, all.chunk_bytes);
  EXPECT_LT(part.block_bytes + 3 * 150'000, all.block_bytes);
  EXPECT_EQ(part.patch_bytes + 190'000, all.patch_bytes);
}

TEST(PatchForecast, of_a_grid_knows_cells_that_lie_in_what_is_kept) {
  MadeContent made(Sizes::equal, 1, 20'000'000, 1);
  const auto place = [&] { return place_layout(made.layout(1, 1, kBlockBytes), made.hashed()); };
  const LayoutLock lock = make_lock(place(), made.hashed());
  const format::ContentHash before = made.hashes[0];
  const uint64_t size = made.content.assets[0].place.size_bytes;
  made.edit_one(0, size);
  const KeptContent kept = {{made.hashes[0],
                             {.old_hash = before,
                              .front_bytes = 10'000'000,
                              .back_bytes = 0,
                              .fresh_chunk_bytes = size - 10'000'000}}};
  const uint64_t all = predict_patch(lock, place(), made.hashed()).total().grid_bytes;
  const uint64_t part = predict_patch(lock, place(), made.hashed(), kept).total().grid_bytes;
  EXPECT_GE(all - part, 8'000'000U);
}

}  // namespace
}  // namespace seekless
