#include "packer/pack/pack_action.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two scenarios, with one pack each and one for both. Some assets have equal contents, one is
// empty, and one is larger than a block.
struct GameOfThreePacks : SetMaker {
  GameOfThreePacks();
};

GameOfThreePacks::GameOfThreePacks() {
  const uint32_t menu = add_scenario("menu");
  const uint32_t rush = add_scenario("rush");
  add_pack("common");
  add("shared/a", noise(70'000, 1), {menu, rush});
  add("shared/b", noise(5'000, 2), {menu, rush});
  add_pack("menu", PackKind::sub);
  add("menu/large", noise(200'000, 3), {menu});
  add("menu/again", noise(5'000, 4), {menu});
  add("menu/empty", "", {menu});
  add("menu/same", noise(5'000, 4), {menu});
  add_pack("rush", PackKind::sub);
  add("rush/a", noise(9'000, 5), {rush});
}

void write_each(const SetMaker& maker, const std::string& folder, PackWriteOptions options = {}) {
  std::filesystem::create_directories(folder);
  for (size_t i = maker.layout.packs.size(); i-- > 0;) {
    const LaidPack& pack = maker.layout.packs[i];
    const auto written =
        write_single_pack(maker.layout, pack, options, folder + "/" + pack.name + ".skl");
    ASSERT_TRUE(written) << written.error().message;
  }
  const auto id = write_catalog_of(maker.layout, folder, folder + "/catalog.skl");
  ASSERT_TRUE(id) << id.error().message;
}

std::string catalog_error(const SetMaker& maker, const std::string& folder) {
  const auto id = write_catalog_of(maker.layout, folder, folder + "/catalog.skl");
  return id ? "" : id.error().message;
}

TEST(PackAction, packs_made_one_by_one_are_those_of_a_whole_set) {
  for (const format::Codec codec : {format::Codec::raw, format::Codec::lz4}) {
    GameOfThreePacks maker;
    maker.write({.codec = codec});
    const TestFolder single;
    write_each(maker, single.path("set"), {.codec = codec, .threads = 3});
    EXPECT_EQ(files_in(single.path("set")), files_in(maker.folder()));
  }
}

TEST(PackAction, needs_no_content_but_its_own) {
  GameOfThreePacks maker;
  maker.write();
  const TestFolder single;
  for (const LaidPack& laid : maker.layout.packs) {
    const GameOfThreePacks alone;
    const auto inputs = inputs_of_packs(alone.layout);
    for (const PackInputs& other : inputs)
      if (other.name != laid.name)
        for (const std::string& file : other.files) std::filesystem::remove(file);
    const auto index = find_pack(alone.layout, laid.name, "layout");
    ASSERT_TRUE(index);
    const std::string path = single.path("alone.skl");
    ASSERT_TRUE(write_single_pack(alone.layout, alone.layout.packs[*index], {}, path));
    EXPECT_EQ(bytes_of_file(path), bytes_of_file(maker.file(laid.name + ".skl")));
  }
}

TEST(PackAction, the_catalog_needs_no_content_at_all) {
  GameOfThreePacks maker;
  maker.write();
  for (const Source& source : maker.layout.sources)
    std::filesystem::remove(std::string(source.path));
  const std::string before = bytes_of_file(maker.file("catalog.skl"));
  std::filesystem::remove(maker.file("catalog.skl"));
  EXPECT_EQ(catalog_error(maker, maker.folder()), "");
  EXPECT_EQ(bytes_of_file(maker.file("catalog.skl")), before);
}

TEST(PackAction, tells_what_each_pack_reads) {
  const GameOfThreePacks maker;
  const auto inputs = inputs_of_packs(maker.layout);
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_EQ(inputs[0].name, "common");
  EXPECT_EQ(inputs[1].assets, 4U);
  EXPECT_EQ(inputs[1].content_bytes, 210'000U);
  EXPECT_EQ(inputs[1].kind, PackKind::sub);
  EXPECT_THAT(inputs[2].files, ElementsAre(std::string(maker.layout.sources[6].path)));
}

TEST(PackAction, tells_each_file_once_and_in_one_order) {
  GameOfThreePacks maker;
  maker.layout.packs[0].assets[0].source = 5;
  maker.layout.packs[0].assets[1].source = 2;
  maker.add_pack("cold", PackKind::cold);
  auto& cold = maker.layout.packs.back().assets;
  for (const uint32_t source : {3U, 1U, 3U})
    cold.push_back(LaidAsset{.path = "x", .size_bytes = 1, .source = source});
  const auto inputs = inputs_of_packs(maker.layout);
  EXPECT_THAT(inputs[0].files, ElementsAre(std::string(maker.layout.sources[2].path),
                                           std::string(maker.layout.sources[5].path)));
  EXPECT_THAT(inputs[3].files, ElementsAre(std::string(maker.layout.sources[1].path),
                                           std::string(maker.layout.sources[3].path)));
}

TEST(PackAction, names_the_packs_there_are_if_asked_for_another) {
  const GameOfThreePacks maker;
  const auto found = find_pack(maker.layout, "boot", "layout.json");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::usage);
  EXPECT_THAT(found.error().message,
              HasSubstr("'common', 'menu', 'rush', or 'catalog', found 'boot'"));
}

TEST(PackAction, refuses_packs_of_another_layout) {
  GameOfThreePacks maker;
  maker.write();
  const std::string catalog = bytes_of_file(maker.file("catalog.skl"));
  const auto refuses = [&](auto change, const std::string& said) {
    GameOfThreePacks other;
    change(other);
    EXPECT_THAT(catalog_error(other, maker.folder()), HasSubstr(said));
    EXPECT_EQ(bytes_of_file(maker.file("catalog.skl")), catalog);
  };
  refuses([](SetMaker& other) { other.add("rush/b", "x"); },
          "rush.skl: expected 2 assets, found 1");
  refuses([](SetMaker& other) { other.layout.packs[2].assets[0].path = "rush/z"; },
          "rush.skl: expected 'rush/z' of 9000 bytes, found none; remove it, and pack again");
  refuses([](SetMaker& other) { ++other.layout.packs[0].assets[1].size_bytes; },
          "common.skl: expected 'shared/b' of 5001 bytes, found none");
  refuses([](SetMaker& other) { other.layout.block_bytes *= 2; },
          "expected blocks of 131072 bytes");
  refuses([](SetMaker& other) { other.layout.fold_case = true; }, "expected paths that fold case");
  refuses([](SetMaker& other) { other.layout.packs[1].name = "boot"; }, "boot.skl");
}

TEST(PackAction, refuses_a_damaged_pack) {
  GameOfThreePacks maker;
  maker.write();
  std::string bytes = bytes_of_file(maker.file("menu.skl"));
  for (const size_t size : {size_t{0}, size_t{100}, size_t{512}, bytes.size() / 2}) {
    std::ofstream(maker.file("menu.skl"), std::ios::binary) << bytes.substr(0, size);
    EXPECT_THAT(catalog_error(maker, maker.folder()), HasSubstr("menu.skl"));
  }
  bytes[600] = static_cast<char>(bytes[600] ^ 1);
  std::ofstream(maker.file("menu.skl"), std::ios::binary) << bytes;
  EXPECT_THAT(catalog_error(maker, maker.folder()), HasSubstr("menu.skl"));
}

TEST(PackAction, leaves_nothing_behind_when_it_fails) {
  const GameOfThreePacks maker;
  std::filesystem::remove(std::string(maker.layout.sources[6].path));
  const TestFolder single;
  EXPECT_FALSE(write_single_pack(maker.layout, maker.layout.packs[2], {}, single.path("rush.skl")));
  EXPECT_THAT(files_in(single.path(".")), testing::IsEmpty());
}

}  // namespace
}  // namespace seekless
