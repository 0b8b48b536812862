#include "packer/pack/pack_set_writer.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/pack/pack_plan.h"
#include "packer/pack/verify.h"
#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// So many threads that each handles at most one block; the writer starts no more threads than there
// are blocks.
constexpr unsigned kManyThreads = 600;

// Forty assets over some twenty blocks: small, large, equal and empty ones.
struct Mixed : SetMaker {
  Mixed() {
    const uint32_t menu = add_scenario("menu");
    add_pack("common");
    for (uint64_t i = 0; i < 40; ++i) {
      const uint64_t size = i % 10 == 3 ? 2 * kBlock + i : i % 13 == 5 ? 0 : 1000 * i;
      const std::string content =
          i % 3 == 0 ? std::string(size, static_cast<char>(i % 6)) : noise(size, i % 20);
      add("asset " + std::to_string(i), content, {menu});
    }
    add("asset 7 again", noise(7000, 7), {menu});
  }
};

TEST(PackSetWriter, bytes_depend_on_neither_threads_nor_time) {
  Mixed set;
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    set.write({.codec = codec, .threads = 1});
    const auto first = files_in(set.folder());
    for (const unsigned threads : {2U, 8U, 64U, kManyThreads, kManyThreads}) {
      set.write({.codec = codec, .threads = threads});
      EXPECT_TRUE(files_in(set.folder()) == first);
    }
  }
}

TEST(PackSetWriter, content_that_is_written_meanwhile_leaves_no_pack) {
  Mixed set;
  ContentReader content(set.layout.sources);
  ASSERT_TRUE(content.open(ref_of(set.layout.packs[0].assets[7])));
  // Longer than a tick of the file system's clock.
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  set.content_folder().write("source-7", noise(7000, 8));
  const std::string path = set.folder() + ".skl";
  const auto written = write_pack(set.layout, set.layout.packs[0], content, {}, path);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message,
              AllOf(HasSubstr("source-7"), HasSubstr("stays as it is while it is read")));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PackSetWriter, what_it_tells_adds_up) {
  Mixed set;
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    std::atomic<uint64_t> done_bytes = 0;
    const auto written = set.write({.codec = codec, .threads = 2, .done_bytes = &done_bytes});
    ASSERT_EQ(written.size(), 1U);
    const WrittenPack& pack = written.front();
    EXPECT_EQ(pack.file_bytes, bytes_of_file(set.file("common.skl")).size());
    EXPECT_EQ(pack.file_bytes, pack.table_bytes + pack.content_bytes - pack.duplicate_bytes +
                                   pack.padding_bytes - pack.saved_bytes);
    EXPECT_EQ(done_bytes, pack.content_bytes - pack.duplicate_bytes);
    EXPECT_GT(pack.duplicate_bytes, 0U);
    EXPECT_EQ(pack.saved_bytes > 0, codec == format::Codec::lz4);
    EXPECT_EQ(pack.block_offsets.size(), pack.placement.blocks.size() + 1);
    EXPECT_EQ(pack.block_offsets.back(), pack.file_bytes);
  }
}

TEST(PackSetWriter, the_first_error_by_place_ends_it_whatever_the_threads) {
  Mixed set;
  const LaidPack& pack = set.layout.packs.front();
  for (const size_t lost : {13U, 14U, 30U, 37U})
    std::filesystem::remove(std::string(set.layout.sources[pack.assets[lost].source].path));
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    std::string message;
    for (int round = 0; round < 20; ++round) {
      const auto written = write_pack_set(
          set.layout, {.codec = codec, .threads = round == 0 ? 1U : kManyThreads}, set.folder());
      ASSERT_FALSE(written);
      if (round == 0) message = written.error().message;
      EXPECT_EQ(written.error().message, message);
    }
    EXPECT_THAT(message, HasSubstr("source-13"));
    EXPECT_FALSE(std::filesystem::exists(set.folder())) << "nothing remains";
  }
}

TEST(PackSetWriter, content_that_shrank_ends_it) {
  for (const unsigned threads : {1U, 8U, kManyThreads}) {
    Mixed set;
    std::filesystem::resize_file(std::string(set.layout.sources[33].path), kBlock + 5);
    const auto written =
        write_pack_set(set.layout, {.codec = format::Codec::lz4, .threads = threads}, set.folder());
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message, HasSubstr("source-33"));
  }
}

// A layout may come from anywhere; its claims mustn't cost memory before they are checked.
TEST(PackSetWriter, sizes_that_content_does_not_have_are_refused_before_the_work) {
  SetMaker set;
  set.add_pack("p");
  set.add("small", "x");
  set.add("huge", "y");
  set.layout.packs[0].assets[1].size_bytes = uint64_t{1} << 60;
  set.layout.sources[1].size_bytes = uint64_t{1} << 60;
  const auto written = write_pack_set(set.layout, {}, set.folder());
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("1152921504606846976"));
}

TEST(PackSetWriter, an_earlier_set_stays_when_writing_fails) {
  Mixed set;
  set.write();
  const auto before = files_in(set.folder());
  std::filesystem::remove(std::string(set.layout.sources.back().path));
  EXPECT_FALSE(write_pack_set(set.layout, {}, set.folder()));
  EXPECT_TRUE(files_in(set.folder()) == before);
}

TEST(PackSetWriter, padding_of_many_small_assets_is_small) {
  SetMaker set(format::kDefaultBlockBytes);
  set.add_pack("p");
  for (uint64_t i = 0; i < 1000; ++i) set.add("a" + std::to_string(i), noise(3000 + 13 * i, i));
  const auto written = set.write();
  EXPECT_LT(written.front().padding_bytes * 100, written.front().file_bytes * 3);
}

// Blocks longer than the assets in them, one of them empty, and tables with room after them.
struct Placed : SetMaker {
  Placed() {
    add_pack("p");
    add("first", noise(1000, 1));
    add("large", noise(2 * kBlock + 100, 2));
    add("equal", noise(1000, 1));
    add("empty", "");
    layout.packs[0].places = LaidPlaces{.data_offset_bytes = 16 * format::kPageBytes,
                                        .block_raw_bytes = {kBlock, 4096, kBlock, kBlock, 8192},
                                        .assets = {{0, 640}, {2, 0}, {0, 640}, {0, 0}}};
  }
};

TEST(PackSetWriter, a_layout_may_say_where_all_lies_with_holes_between) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    Placed set;
    const auto written = set.write({.codec = codec, .threads = 2});
    ASSERT_EQ(written.size(), 1U);
    EXPECT_EQ(written[0].table_bytes, 16 * format::kPageBytes);
    EXPECT_EQ(written[0].block_offsets.size(), 6U);
    const auto report = verify(set.folder(), {});
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->damages.empty());
    if (codec == format::Codec::lz4) continue;
    const std::string bytes = bytes_of_file(set.file("p.skl"));
    EXPECT_TRUE(bytes.substr(16 * format::kPageBytes + 640, 1000) == noise(1000, 1));
  }
}

TEST(PackSetWriter, a_layout_that_takes_content_for_equal_is_refused) {
  Placed different;
  std::ofstream(different.layout.sources[2].path, std::ios::binary) << noise(1000, 3);
  const auto one_place = write_pack_set(different.layout, {}, different.folder());
  ASSERT_FALSE(one_place);
  EXPECT_THAT(one_place.error().message, HasSubstr("'equal'"));
  Placed equal;
  equal.layout.packs[0].places->assets[2] = {1, 0};
  const auto two_places = write_pack_set(equal.layout, {}, equal.folder());
  ASSERT_FALSE(two_places);
  EXPECT_THAT(two_places.error().message, HasSubstr("'equal'"));
}

TEST(PackSetWriter, tables_that_need_more_room_than_the_layout_gives_are_refused) {
  Placed set;
  for (int i = 0; i < 3000; ++i) {
    set.add("empty " + std::to_string(i), "");
    set.layout.packs[0].places->assets.push_back({0, 0});
  }
  const auto written = write_pack_set(set.layout, {}, set.folder());
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("tables of at most 65536 bytes"));
}

}  // namespace
}  // namespace seekless
