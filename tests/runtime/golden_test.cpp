// Files of each format version stay in golden/ for ever: readers must still read those of versions
// that were released. The writer must still make those of the current version, byte by byte.
//
// A new version gets a folder of its own: raise kVersion with the format, then run this program
// once with the environment variable SEEKLESS_WRITE_GOLDEN set, and commit what it wrote. Never
// write over a version that was released.
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4.h>

#include "packer/pack/verify.h"
#include "runtime/include/seekless.h"
#include "runtime/pack_set.h"
#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kGolden = SEEKLESS_GOLDEN;
constexpr const char* kVersion = "v2.0";

// It has a compressed block and an uncompressed one, equal content, copies in two packs, an empty
// asset, a path beyond ASCII, and other alignments.
struct GoldenSet : SetMaker {
  GoldenSet() {
    const uint32_t menu = add_scenario("menu");
    const uint32_t level = add_scenario("level 1");
    std::string text;
    for (int i = 0; i < 100; ++i) text += "line " + std::to_string(i) + "\n";
    add_pack("common", PackKind::common);
    add("texts/intro.txt", text, {menu, level});
    add("texts/intro copy.txt", text, {menu});
    add("empty", "", {menu, level});
    add("sky/b\xC3\xB6ig.dds", std::string(700, 's'), {level}).alignment_bytes = 256;
    add_pack("level 1", PackKind::sub);
    add("maps/one.bsp", noise(1500, 1), {level});
    add("sky/b\xC3\xB6ig.dds", std::string(700, 's'), {level});
    add_pack("cold", PackKind::cold);
    add("unread.bin", noise(600, 2)).alignment_bytes = 1;
    add("unread too.bin", noise(600, 3)).alignment_bytes = 1;
    layout.read_through_bytes = kDefaultReadThroughBytes;
    write({.codec = format::Codec::lz4});
  }
};

std::string hex(const skl_hash& hash) {
  std::string text;
  for (const uint8_t byte : hash.bytes)
    for (const int shift : {4, 0}) text += "0123456789abcdef"[byte >> shift & 15];
  return text;
}

TEST(Golden, reads_golden_files_of_version_2_0) {
  const std::string folder = kGolden + "/v2.0";
  skl_context* context = nullptr;
  ASSERT_EQ(skl_context_create(nullptr, &context, nullptr), SKL_OK);
  skl_error error = {sizeof(error), SKL_OK, 0, 0, {}};
  ASSERT_EQ(skl_mount(context, folder.c_str(), nullptr, nullptr, &error), SKL_OK) << error.message;
  const GoldenSet set;
  std::map<std::string, std::string> hashes;
  for (const auto& [path, content] : set.contents) {
    skl_asset asset = 0;
    uint64_t size = 0;
    ASSERT_EQ(skl_find(context, path.c_str(), &asset, &size), SKL_OK) << path;
    std::string got(size, '?');
    ASSERT_EQ(skl_read(context, asset, 0, got.data(), size, nullptr, &error), SKL_OK)
        << error.message;
    EXPECT_TRUE(got == content) << path;
    skl_hash hash;
    ASSERT_EQ(skl_asset_hash(context, asset, &hash, nullptr), SKL_OK);
    hashes[path] = hex(hash);
  }
  // The values are as xxh128sum prints them.
  EXPECT_EQ(hashes["empty"], "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hashes["sky/b\xC3\xB6ig.dds"], "e2f190c673ec0941a1e30602230daa92");
  EXPECT_EQ(hashes["maps/one.bsp"], "876a9e37f752aaecba1b903fc2d151c7");

  skl_sweep* sweep = nullptr;
  ASSERT_EQ(skl_sweep_open(context, "level 1", &sweep, &error), SKL_OK) << error.message;
  std::vector<std::string> order;
  for (skl_lease lease; skl_sweep_wait(sweep, UINT32_MAX, &lease, &error) == SKL_OK;) {
    char path[64];
    ASSERT_EQ(skl_asset_path(context, lease.asset, path, sizeof(path), nullptr, nullptr), SKL_OK);
    order.emplace_back(path);
    skl_lease_release(&lease);
  }
  EXPECT_THAT(order, ElementsAre("empty", "texts/intro.txt", "sky/b\xC3\xB6ig.dds", "maps/one.bsp",
                                 "sky/b\xC3\xB6ig.dds"));
  skl_sweep_close(sweep);
  skl_context_destroy(context);
}

// Returns "path size block offset alignment" for each asset.
std::vector<std::string> listing(const std::string& path) {
  const auto io = runtime::make_system_file_io();
  const auto set = runtime::PackSet::open(*io, path);
  if (!set) return {set.error().message};
  const runtime::Pack& pack = **(*set)->pack(0);
  std::vector<std::string> lines;
  for (uint32_t i = 0; i < pack.assets().size(); ++i) {
    const format::Asset& asset = pack.assets()[i];
    lines.push_back(*pack.path(i) + " " + std::to_string(asset.size_bytes) + " " +
                    std::to_string(asset.block) + " " +
                    std::to_string(runtime::offset_in_block(asset)) + " " +
                    std::to_string(runtime::alignment_bytes(asset)));
  }
  return lines;
}

TEST(Golden, lists_golden_files_of_version_2_0) {
  const std::string folder = kGolden + "/v2.0";
  EXPECT_THAT(listing(folder + "/common.skl"),
              ElementsAre("empty 0 0 0 64", "texts/intro.txt 790 0 0 64",
                          "texts/intro copy.txt 790 0 0 64", "sky/b\xC3\xB6ig.dds 700 0 1024 256"));
  EXPECT_THAT(listing(folder + "/level 1.skl"),
              ElementsAre("maps/one.bsp 1500 0 0 64", "sky/b\xC3\xB6ig.dds 700 0 1536 64"));
  EXPECT_THAT(listing(folder + "/cold.skl"),
              ElementsAre("unread.bin 600 0 0 1", "unread too.bin 600 0 600 1"));
  const auto report = verify(folder, {});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->damages, IsEmpty());
}

// Nothing was released with version 1.
TEST(Golden, refuses_files_of_version_1_by_name) {
  const auto io = runtime::make_system_file_io();
  for (const char* file : {"/v1.0", "/v1.0/common.skl"}) {
    const auto set = runtime::PackSet::open(*io, kGolden + file);
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().result, SKL_UNSUPPORTED);
    EXPECT_THAT(set.error().message, testing::HasSubstr("expected format version 2, found 1.0"));
  }
}

TEST(Golden, writer_still_makes_the_same_bytes_as_golden) {
  const GoldenSet set;
  const std::string folder = kGolden + "/" + kVersion;
  auto made = files_in(set.folder());
  if (std::getenv("SEEKLESS_WRITE_GOLDEN") != nullptr)
    for (const auto& [name, bytes] : made)
      std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
  if (LZ4_versionNumber() != 10904)
    GTEST_SKIP() << "other versions of LZ4 may compress to other bytes than 1.9.4 does";
  const auto golden = files_in(folder);
  ASSERT_EQ(made.size(), golden.size());
  for (const auto& [name, bytes] : golden)
    EXPECT_TRUE(made[name] == bytes) << name
                                     << " differs: a change of the format, or of what is written "
                                        "in it, needs a new version";
}

}  // namespace
}  // namespace seekless
