#include "packer/pack/verify.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

void overwrite(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

std::vector<Damage> damages_of(const std::string& path, unsigned threads = 1) {
  auto report = verify(path, {.threads = threads});
  EXPECT_TRUE(report) << report.error().message;
  return report ? report->damages : std::vector<Damage>();
}

// Two packs of a few pages; one of them has an LZ4 block of at least 20 bytes.
struct Small : SetMaker {
  Small() {
    const uint32_t menu = add_scenario("menu");
    add_pack("common");
    add("first", "some text, some text, some text, some text, some text", {menu});
    add("second", noise(700, 1), {menu});
    add("none", "", {menu});
    add_pack("sub", PackKind::sub);
    add("third", std::string(5000, 'x'), {menu});
    add("fourth", std::string(5000, 'x'));
    write({.codec = format::Codec::lz4});
  }
};

TEST(Verify, finds_nothing_wrong_with_a_sound_set) {
  const Small set;
  const auto report = verify(set.folder(), {.threads = 3});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->damages, IsEmpty());
  EXPECT_EQ(report->packs, 2U);
  EXPECT_EQ(report->assets, 5U);
}

// Flips any bit, padding included. The file must be named, and the assets if the bit is in their
// block.
TEST(Verify, finds_every_flipped_bit) {
  const Small set;
  for (const char* name : {"catalog.skl", "common.skl", "sub.skl"}) {
    const std::string path = set.file(name);
    std::string bytes = bytes_of_file(path);
    Forge forge(bytes);
    const bool is_catalog = forge.header().kind == format::FileKind::catalog;
    const uint64_t data = is_catalog ? UINT64_MAX : forge.block(0).offset_bytes;
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    const auto write_byte = [&](size_t at, char byte) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
      file.flush();
    };
    for (size_t at = 0; at < bytes.size(); ++at) {
      // All bits of the header are flipped, and in turn one bit of each other byte.
      for (int bit = 0; bit < 8; ++bit) {
        if (at >= 512 && static_cast<size_t>(bit) != at % 8) continue;
        write_byte(at, static_cast<char>(bytes[at] ^ (1 << bit)));
        const auto damages = damages_of(is_catalog ? set.folder() : path);
        ASSERT_FALSE(damages.empty()) << name << ", byte " << at << ", bit " << bit;
        EXPECT_EQ(damages.front().file, path);
        if (at < data) continue;
        EXPECT_EQ(damages.size(), 1U);
        EXPECT_EQ(damages.front().offset_bytes, data);
        if (set.layout.packs[0].name + ".skl" == name)
          EXPECT_THAT(damages.front().assets, UnorderedElementsAre("first", "second"));
        else
          EXPECT_THAT(damages.front().assets, UnorderedElementsAre("third", "fourth"));
      }
      write_byte(at, bytes[at]);
    }
  }
}

TEST(Verify, finds_every_truncation) {
  const Small set;
  for (const char* name : {"catalog.skl", "common.skl"}) {
    const std::string path = set.file(name);
    const std::string bytes = bytes_of_file(path);
    for (size_t size = bytes.size(); size-- > 0;) {
      std::filesystem::resize_file(path, size);
      const auto damages = damages_of(set.folder());
      ASSERT_FALSE(damages.empty()) << name << ' ' << size;
      EXPECT_EQ(damages.front().file, path);
    }
    overwrite(path, bytes);
  }
  EXPECT_THAT(damages_of(set.folder()), IsEmpty());
}

TEST(Verify, finds_the_same_with_any_number_of_threads) {
  SetMaker set;
  set.add_pack("p");
  for (uint64_t i = 0; i < 30; ++i)
    set.add("a" + std::to_string(i), noise(i % 7 == 0 ? 2 * kBlock + 9 : 20000, i));
  set.write();
  std::string bytes = bytes_of_file(set.file("p.skl"));
  Forge forge(bytes);
  for (const size_t block : {2U, 3U, 7U}) bytes[forge.block(block).offset_bytes + 9] ^= 4;
  overwrite(set.file("p.skl"), bytes);
  const auto one = damages_of(set.folder(), 1);
  const auto many = damages_of(set.folder(), 8);
  ASSERT_EQ(one.size(), 3U);
  ASSERT_EQ(many.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one[i].what, many[i].what);
    EXPECT_EQ(one[i].assets, many[i].assets);
  }
}

TEST(Verify, names_all_that_lie_over_a_block_equal_ones_too) {
  SetMaker set;
  const std::string large = noise(2 * kBlock + 50, 1);
  set.add_pack("p");
  set.add("small", "small");
  set.add("large", large);
  set.add("again", large);
  set.add("behind", "behind");
  set.write();
  std::string bytes = bytes_of_file(set.file("p.skl"));
  Forge forge(bytes);
  bytes[forge.block(3).offset_bytes] ^= 1;
  overwrite(set.file("p.skl"), bytes);
  const auto damages = damages_of(set.folder());
  ASSERT_EQ(damages.size(), 1U);
  EXPECT_THAT(damages[0].assets, UnorderedElementsAre("large", "again", "behind"));
  EXPECT_THAT(damages[0].what, HasSubstr("block 3"));
}

TEST(Verify, finds_content_that_is_not_what_was_packed) {
  const Small set;
  const std::string path = set.file("sub.skl");
  Forge forge(bytes_of_file(path));
  forge.record<format::ContentHash>(format::PackSection::hashes, 1)[0] ^= 1;
  overwrite(path, forge.sealed());
  const auto damages = damages_of(path);
  ASSERT_EQ(damages.size(), 1U);
  EXPECT_THAT(damages[0].assets, ElementsAre("fourth"));
  EXPECT_THAT(damages[0].what, HasSubstr("content"));
}

TEST(Verify, finds_a_frame_whose_checksum_is_another) {
  SetMaker set;
  set.add_pack("p");
  set.add("text", std::string(5000, 'x'));
  set.write({.codec = format::Codec::lz4});
  Forge forge(bytes_of_file(set.file("p.skl")));
  forge.frame(0).checksum ^= 1;
  overwrite(set.file("p.skl"), forge.sealed());
  const auto damages = damages_of(set.file("p.skl"));
  ASSERT_EQ(damages.size(), 1U);
  EXPECT_THAT(damages[0].assets, ElementsAre("text"));
  EXPECT_THAT(damages[0].what, HasSubstr("frame"));
}

TEST(Verify, finds_a_path_that_its_hash_was_not_made_of) {
  const Small set;
  const std::string path = set.file("common.skl");
  std::string bytes = bytes_of_file(path);
  bytes.replace(bytes.find("second"), 6, "Second");
  overwrite(path, Forge(bytes).sealed());
  const auto damages = damages_of(path);
  ASSERT_EQ(damages.size(), 1U);
  EXPECT_THAT(damages[0].assets, ElementsAre("Second"));
}

TEST(Verify, finds_packs_of_another_set) {
  const Small set;
  Forge forge(bytes_of_file(set.file("sub.skl")));
  forge.header().minor = 9;
  overwrite(set.file("sub.skl"), forge.sealed());
  const auto damages = damages_of(set.folder());
  ASSERT_EQ(damages.size(), 1U);
  EXPECT_THAT(damages[0].what, HasSubstr("the pack that its catalog was made with"));
  EXPECT_EQ(damages[0].file, set.file("sub.skl"));
}

TEST(Verify, finds_catalogs_that_say_other_things_than_the_packs) {
  using format::CatalogSection;
  const Small set;
  const std::string path = set.file("catalog.skl");
  const std::string sound = bytes_of_file(path);
  const auto changed = [&](auto change) {
    Forge forge(sound);
    change(forge);
    overwrite(path, forge.sealed());
    const auto damages = damages_of(set.folder());
    EXPECT_EQ(damages.size(), 1U);
    return damages.empty() ? std::string() : damages[0].file;
  };
  EXPECT_EQ(changed([](Forge& f) {
              ++f.record<format::CatalogAsset>(CatalogSection::assets, 0).size_bytes;
            }),
            path);
  EXPECT_EQ(changed([](Forge& f) {
              auto& place = f.record<format::Place>(CatalogSection::places, 0);
              place.asset ^= 1;
            }),
            path);
  EXPECT_EQ(changed([](Forge& f) {
              f.record<format::Range>(CatalogSection::ranges, 0).pack = 1;
              f.record<format::Range>(CatalogSection::ranges, 1).first_block = 1;
            }),
            path);
}

TEST(Verify, a_missing_pack_is_a_damage_and_a_missing_set_an_error) {
  const Small set;
  std::filesystem::remove(set.file("sub.skl"));
  const auto damages = damages_of(set.folder());
  ASSERT_EQ(damages.size(), 1U);
  EXPECT_EQ(damages[0].file, set.file("sub.skl"));
  EXPECT_FALSE(verify(set.file("nothing"), {}));
}

TEST(Verify, a_catalog_of_any_name_belongs_to_the_packs_beside_it) {
  const Small set;
  for (const char* name : {"a.skl", "a-very-long-name-of-a-catalog.skl"}) {
    std::filesystem::copy_file(set.file("catalog.skl"), set.file(name));
    EXPECT_THAT(damages_of(set.file(name)), IsEmpty()) << name;
  }
}

}  // namespace
}  // namespace seekless
