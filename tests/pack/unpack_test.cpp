#include "packer/pack/unpack.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"

namespace seekless {
namespace {

using testing::HasSubstr;

struct Packed : SetMaker {
  explicit Packed(format::Codec codec = format::Codec::raw) {
    add_pack("common");
    add("maps/one.bsp", noise(2 * kBlock + 5, 1));
    add("maps/two.bsp", "two");
    add("empty", "");
    add_pack("cold", PackKind::cold);
    add("sky/\xC3\xA4", std::string(3000, 'x'));
    add("maps/two.bsp", "two");
    write({.codec = codec});
  }
  Result<Unpacked> unpack(const UnpackOptions& options = {}) const {
    const auto io = runtime::make_system_file_io();
    const auto set = runtime::PackSet::open(*io, folder());
    EXPECT_TRUE(set);
    return seekless::unpack(**set, options, target());
  }
  std::string target() const { return target_.path("out"); }

 private:
  TestFolder target_;
};

TEST(Unpack, brings_out_everything_once) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const Packed packed(codec);
    const auto unpacked = packed.unpack();
    ASSERT_TRUE(unpacked) << unpacked.error().message;
    EXPECT_EQ(unpacked->assets, 4U);
    EXPECT_EQ(unpacked->bytes, 2 * kBlock + 5 + 3 + 3000);
    EXPECT_TRUE(files_in(packed.target()) == packed.contents);
  }
}

TEST(Unpack, brings_out_what_matches) {
  const Packed packed;
  const auto unpacked = packed.unpack({.globs = {"maps/*", "nothing"}});
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(unpacked->assets, 2U);
  EXPECT_FALSE(std::filesystem::exists(packed.target() + "/sky"));
}

TEST(Unpack, overwrites_only_when_allowed) {
  const Packed packed;
  ASSERT_TRUE(packed.unpack());
  std::ofstream(packed.target() + "/maps/two.bsp") << "mine";
  const auto refused = packed.unpack();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("--overwrite"));
  EXPECT_EQ(bytes_of_file(packed.target() + "/maps/two.bsp"), "mine");
  ASSERT_TRUE(packed.unpack({.overwrite = true}));
  EXPECT_TRUE(files_in(packed.target()) == packed.contents);
}

TEST(Unpack, goes_on_where_another_run_ended) {
  const Packed packed;
  ASSERT_TRUE(packed.unpack({.globs = {"maps/*"}}));
  const auto kept = std::filesystem::last_write_time(packed.target() + "/maps/one.bsp");
  const auto unpacked = packed.unpack();
  ASSERT_TRUE(unpacked) << unpacked.error().message;
  EXPECT_EQ(unpacked->kept_assets, 2U);
  EXPECT_EQ(unpacked->assets, 4U);
  EXPECT_EQ(unpacked->bytes, 2 * kBlock + 5 + 3 + 3000);
  EXPECT_TRUE(files_in(packed.target()) == packed.contents);
  EXPECT_EQ(std::filesystem::last_write_time(packed.target() + "/maps/one.bsp"), kept);
  EXPECT_EQ(packed.unpack({.overwrite = true})->kept_assets, 0U);
}

TEST(Unpack, a_damaged_asset_leaves_no_half_file) {
  const Packed packed;
  std::string bytes = bytes_of_file(packed.file("common.skl"));
  Forge forge(bytes);
  bytes[forge.block(1).offset_bytes] ^= 1;
  std::ofstream(packed.file("common.skl"), std::ios::binary) << bytes;
  const auto unpacked = packed.unpack();
  ASSERT_FALSE(unpacked);
  EXPECT_EQ(unpacked.error().kind, ErrorKind::damaged);
  EXPECT_FALSE(std::filesystem::exists(packed.target() + "/maps/one.bsp"));
}

TEST(Unpack, one_asset_comes_part_by_part) {
  const Packed packed;
  const auto io = runtime::make_system_file_io();
  const auto set = runtime::PackSet::open(*io, packed.folder());
  for (uint32_t i = 0; i < (*set)->asset_count(); ++i) {
    const auto placed = (*set)->place(i);
    std::string content;
    ASSERT_TRUE(unpack_one(*placed, [&](std::span<const std::byte> part) -> Result<void> {
      EXPECT_LE(part.size(), kBlock);
      content.append(reinterpret_cast<const char*>(part.data()), part.size());
      return {};
    }));
    EXPECT_TRUE(content == packed.contents.at(*placed->pack->path(placed->index)));
  }
}

}  // namespace
}  // namespace seekless
