#include "packer/project/internal/build_state.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

BuildState example() {
  BuildState state;
  state.settings = 1;
  state.lock = 2;
  state.profile = 3;
  state.catalog = ChangeStamp{5, 6, 7, 8};
  state.files = {{"a/b", 0, SourceKind::file, true, {9, -10, 11, 12}},
                 {"c.zip", 1, SourceKind::zip, false, {13, 14, 15, 16}}};
  state.assets = {{"a/b", 0, 0, 9, {1, 2, 3}}, {"d", 1, 17, 18, {4, 5}}};
  state.traces = {{"t.trace", true, {19, 20, 21, 22}}};
  state.packs = {{"common.skl", 23, 24, ChangeStamp{25, 26, 27, 28}}, {"cold.skl", 29, 30, {}}};
  state.zips_key = 31;
  state.zips = {{"base.zip", {32, 33, 34, 35}}};
  return state;
}

// A state with its files and assets; `paths` holds their paths.
struct Collected {
  PathPool paths;
  std::vector<KnownFile> files;
  std::vector<KnownAsset> assets;

  StateVisitor visitor() {
    return {.file =
                [this](const KnownFile& file) {
                  files.push_back(file);
                  files.back().path = paths.add(file.path);
                },
            .asset =
                [this](const KnownAsset& asset) {
                  assets.push_back(asset);
                  assets.back().path = paths.add(asset.path);
                }};
  }
  BuildState with(BuildState rest) const {
    rest.files = files;
    rest.assets = assets;
    return rest;
  }
};

Result<BuildState> parsed(const std::string& bytes) {
  const auto all = std::as_bytes(std::span(bytes));
  return parse_build_state(MemorySource("state", {all.begin(), all.end()}), {});
}

std::string sealed(std::string bytes) {
  const uint64_t checksum = XXH3_64bits(bytes.data() + 16, bytes.size() - 16);
  std::memcpy(bytes.data() + 8, &checksum, sizeof(checksum));
  return bytes;
}

TEST(BuildState, comes_back_as_it_was_written) {
  const TestFolder folder;
  ASSERT_TRUE(write_build_state(example(), folder.path("state")));
  Collected collected;
  const auto read = read_build_state(folder.path("state"), collected.visitor());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(*read);
  EXPECT_EQ(to_bytes(collected.with(**read)), to_bytes(example()));
  EXPECT_EQ(collected.files[1].path, "c.zip");
  EXPECT_EQ(collected.files[0].stamp, example().files[0].stamp);
  EXPECT_FALSE(collected.files[1].is_settled);
  EXPECT_EQ(collected.assets[1].hash, example().assets[1].hash);
  EXPECT_EQ((*read)->packs[0].stamp, example().packs[0].stamp);
  EXPECT_FALSE((*read)->packs[1].stamp);
}

TEST(BuildState, none_is_no_error) {
  const TestFolder folder;
  const auto read = read_build_state(folder.path("state"), {});
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
}

// It is written and read in pieces of 256 KiB.
TEST(BuildState, one_of_many_pieces_comes_back) {
  const TestFolder folder;
  BuildState state = example();
  PathPool paths;
  constexpr uint32_t kFiles = 20'000;
  for (uint32_t i = 2; i < kFiles; ++i) {
    const PooledPath path = paths.add("folder/" + std::string(i % 97, 'x') + std::to_string(i));
    state.files.push_back({path, 1, SourceKind::file, true, {i, 1, 2, 3}});
    state.assets.push_back({path, i, 0, i, {static_cast<uint8_t>(i)}});
  }
  ASSERT_TRUE(write_build_state(state, folder.path("state")));
  Collected collected;
  const auto read = read_build_state(folder.path("state"), collected.visitor());
  ASSERT_TRUE(read && *read);
  EXPECT_EQ(collected.files.size(), kFiles);
  EXPECT_EQ(to_bytes(collected.with(**read)), to_bytes(state));
}

TEST(BuildState, an_empty_one_comes_back) {
  const auto read = parsed(to_bytes(BuildState{}));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->packs.empty());
}

TEST(BuildState, rejects_every_truncation_and_every_flipped_byte) {
  const std::string bytes = to_bytes(example());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto read = parsed(bytes.substr(0, length));
    ASSERT_FALSE(read) << length;
    EXPECT_EQ(read.error().kind, ErrorKind::damaged);
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(parsed(damaged)) << at;
  }
  EXPECT_FALSE(parsed(bytes + '\0'));
}

// Even somebody who can write a checksum can't make the reader read beyond the end, or take all
// memory.
TEST(BuildState, rejects_sealed_truncations_and_counts_that_cant_be) {
  const std::string bytes = to_bytes(example());
  for (size_t length = 16; length < bytes.size(); ++length)
    EXPECT_FALSE(parsed(sealed(bytes.substr(0, length)))) << length;
  for (size_t at = 16; at + 4 <= bytes.size(); ++at) {
    std::string forged = bytes;
    std::memset(forged.data() + at, 0xff, 4);
    (void)parsed(sealed(forged));  // an error, or other values
  }
}

TEST(BuildState, rejects_assets_of_files_that_there_are_not) {
  BuildState state = example();
  state.assets[0].file = 2;
  const auto read = parsed(to_bytes(state));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("out of range"));
}

}  // namespace
}  // namespace seekless
