// Compares packs that aren't written with those that the writer writes from the same layout.
#include "packer/pack/virtual_packs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/catalog.h"
#include "runtime/pack_set.h"
#include "runtime/read_asset.h"
#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

using testing::HasSubstr;

// Several packs, with equal contents, empty assets, and one asset larger than a block.
struct MixedPacks : SetMaker {
  MixedPacks() {
    const uint32_t menu = add_scenario("menu");
    const uint32_t level = add_scenario("level");
    add_pack("common");
    add("large", noise(300'000, 1), {menu, level});
    add("twin-a", noise(5000, 2), {menu, level});
    add("empty", "", {menu, level});
    add("twin-b", noise(5000, 2), {menu, level});
    add_pack("menu", PackKind::sub);
    for (uint64_t i = 0; i < 40; ++i)
      add("m" + std::to_string(i), noise(7001 * i % 9973, i), {menu});
    add_pack("cold", PackKind::cold);
    add("never", noise(100'000, 3));
  }
};

std::unique_ptr<VirtualPacks> packs_of(const Layout& layout) {
  auto packs = VirtualPacks::of_layout(layout);
  EXPECT_TRUE(packs) << packs.error().message;
  return *std::move(packs);
}

TEST(VirtualPacks, have_the_sizes_and_places_of_those_that_are_written) {
  MixedPacks game;
  game.write();
  const auto packs = packs_of(game.layout);
  const auto system = runtime::make_system_file_io();
  const auto real = runtime::PackSet::open(*system, game.folder());
  const auto same = runtime::PackSet::open(*packs, "anywhere");
  ASSERT_TRUE(real);
  ASSERT_TRUE(same) << same.error().message;
  ASSERT_EQ((*real)->pack_count(), (*same)->pack_count());
  for (uint32_t i = 0; i < (*real)->pack_count(); ++i) {
    const runtime::Pack* const written = (*real)->pack(i).value();
    const runtime::Pack* const made = (*same)->pack(i).value();
    EXPECT_EQ(made->header().file_bytes, written->header().file_bytes);
    ASSERT_EQ(made->blocks().size(), written->blocks().size());
    for (size_t block = 0; block < made->blocks().size(); ++block)
      EXPECT_EQ(made->blocks()[block].offset_bytes, written->blocks()[block].offset_bytes);
    ASSERT_EQ(made->assets().size(), written->assets().size());
    for (size_t asset = 0; asset < made->assets().size(); ++asset) {
      EXPECT_EQ(made->assets()[asset].path_hash, written->assets()[asset].path_hash);
      EXPECT_EQ(made->assets()[asset].place, written->assets()[asset].place);
    }
  }
  const auto size_of = [](const runtime::FileIo& io, const std::string& path) {
    return io.open(path).value()->size_bytes();
  };
  EXPECT_EQ(size_of(*packs, std::string("x/") + runtime::kCatalogName),
            size_of(*system, game.file(runtime::kCatalogName)));
}

TEST(VirtualPacks, are_read_as_zeros_that_pass_every_check) {
  const MixedPacks game;
  const auto packs = packs_of(game.layout);
  const auto set = runtime::PackSet::open(*packs, "layout");
  ASSERT_TRUE(set);
  for (uint32_t asset = 0; asset < (*set)->asset_count(); ++asset) {
    std::vector<std::byte> bytes((*set)->size_bytes(asset), std::byte{1});
    const auto read = runtime::read_asset((*set)->place(asset).value(), 0, bytes);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(VirtualPacks, hold_only_the_files_of_the_layout_and_end_where_they_end) {
  const MixedPacks game;
  const auto packs = packs_of(game.layout);
  EXPECT_FALSE(packs->open("layout/other.skl"));
  EXPECT_TRUE(packs->is_folder("layout"));
  EXPECT_FALSE(packs->is_folder("layout/common.skl"));
  const auto file = packs->open("layout/common.skl").value();
  std::vector<std::byte> bytes(100, std::byte{1});
  EXPECT_TRUE(file->read_at(file->size_bytes() - 100, bytes));
  EXPECT_FALSE(file->read_at(file->size_bytes() - 99, bytes));
  EXPECT_FALSE(file->read_at(UINT64_MAX, bytes));
}

TEST(VirtualPacks, fail_where_packing_would) {
  MixedPacks game;
  game.layout.sources[0].path =
      game.layout.paths.add(std::string(game.layout.sources[0].path) + ".gone");
  const auto packs = VirtualPacks::of_layout(game.layout);
  ASSERT_FALSE(packs);
  EXPECT_THAT(packs.error().message, HasSubstr(".gone"));
}

}  // namespace
}  // namespace seekless
