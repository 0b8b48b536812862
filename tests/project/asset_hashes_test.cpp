#include "packer/project/internal/asset_hashes.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "packer/base/hasher.h"
#include "tests/content/test_folder.h"
#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

using testing::ElementsAre;

format::ContentHash hash_of(std::string_view text) {
  return canonical(XXH3_128bits(text.data(), text.size()));
}

// Loose files, and what an earlier build knew of them.
class AssetHashesTest : public testing::Test {
 protected:
  void scan() {
    roots_ = {folder_.path("content")};
    auto content = scan_content(roots_, {});
    ASSERT_TRUE(content) << content.error().message;
    content_ = *std::move(content);
    for (const Asset& asset : content_.assets)
      files_.push_back({0, asset.path, {asset.place.size_bytes, 1, 1, asset.place.source}});
  }

  void know_all(std::string_view hash_of_text) {
    for (uint32_t i = 0; i < content_.assets.size(); ++i) {
      const Asset& asset = content_.assets[i];
      state_.files.push_back({asset.path, 0, SourceKind::file, true, files_[i].stamp});
      state_.assets.push_back({asset.path, i, 0, asset.place.size_bytes, hash_of(hash_of_text)});
    }
  }

  KnownAssets matched() const {
    // With one root of loose files, sources lie in the order of the assets.
    std::vector<uint32_t> file_of_source(content_.sources.size());
    std::iota(file_of_source.begin(), file_of_source.end(), 0U);
    AssetMatcher matcher(content_, files_, file_of_source);
    for (const KnownFile& file : state_.files) matcher.add(file);
    for (const KnownAsset& asset : state_.assets) matcher.add(asset);
    return matcher.finish();
  }

  AssetHashes hashed(const HashOptions& options = {}, bool trusts_stamps = true) {
    const KnownAssets known = matched();
    auto hashes = hash_assets({content_, &known, trusts_stamps}, options);
    EXPECT_TRUE(hashes) << hashes.error().message;
    return hashes ? *std::move(hashes) : AssetHashes{};
  }

  const TestFolder folder_;
  std::vector<std::string> roots_;
  Content content_;
  std::vector<InputFile> files_;
  BuildState state_;
};

TEST_F(AssetHashesTest, what_has_its_stamp_isnt_read) {
  folder_.write("content/a", "alpha");
  scan();
  know_all("something else");
  const AssetHashes hashes = hashed();
  EXPECT_THAT(hashes.origins, ElementsAre(HashOrigin::known));
  EXPECT_EQ(hashes.hashes[0], hash_of("something else"));
  EXPECT_EQ(hashes.read_bytes, 0U);
}

TEST_F(AssetHashesTest, another_stamp_an_unsettled_one_or_no_trust_is_read) {
  folder_.write("content/a", "alpha");
  scan();
  know_all("something else");
  EXPECT_EQ(hashed({}, false).hashes[0], hash_of("alpha"));
  state_.files[0].is_settled = false;
  EXPECT_EQ(hashed().hashes[0], hash_of("alpha"));
  state_.files[0].is_settled = true;
  files_[0].stamp.written_ns = 2;
  const AssetHashes hashes = hashed();
  EXPECT_THAT(hashes.origins, ElementsAre(HashOrigin::read));
  EXPECT_EQ(hashes.hashes[0], hash_of("alpha"));
  EXPECT_EQ(hashes.read_bytes, 5U);
}

TEST_F(AssetHashesTest, a_zip_tells_by_crc32s_even_if_one_is_0) {
  const std::string crc_0 = "\x9d\x0a\xd9\x6d";
  ASSERT_EQ(crc32_of(crc_0), 0U);
  folder_.write("content/a.zip", ZipBuilder{.items = {{.name = "a", .content = crc_0},
                                                      {.name = "b", .content = "bbbb"},
                                                      {.name = "c", .content = "cccc"}}}
                                     .build());
  scan();
  const auto hashes =
      hash_assets({content_, nullptr, true}, {.new_assets = NewAssets::equal_sizes});
  ASSERT_TRUE(hashes) << hashes.error().message;
  EXPECT_EQ(hashes->read_bytes, 0U);
}

TEST_F(AssetHashesTest, what_is_new_or_of_another_size_is_left_to_the_packer) {
  folder_.write("content/a", "alpha");
  folder_.write("content/b", "beta");
  scan();
  know_all("something else");
  state_.assets[0].size_bytes = 6;
  state_.assets.pop_back();
  const AssetHashes hashes = hashed();
  EXPECT_THAT(hashes.origins, ElementsAre(HashOrigin::provisional, HashOrigin::provisional));
  EXPECT_NE(hashes.hashes[0], hashes.hashes[1]);
}

TEST_F(AssetHashesTest, what_came_or_went_is_told_apart) {
  folder_.write("content/b", "beta");
  folder_.write("content/d", "delta");
  scan();
  know_all("something else");
  state_.assets.pop_back();
  state_.assets.insert(state_.assets.begin(), {"a", 0, 0, 5, {}});
  state_.assets.push_back({"c", 0, 0, 5, {}});
  state_.assets.push_back({"e", 0, 0, 5, {}});
  const KnownAssets known = matched();
  EXPECT_THAT(known.before, ElementsAre(AssetBefore::same, AssetBefore::missing));
  EXPECT_THAT(known.removed, ElementsAre("a", "c", "e"));
}

TEST_F(AssetHashesTest, a_file_at_another_place_doesnt_vouch_for_an_asset) {
  folder_.write("content/a", "alpha");
  folder_.write("content/b", "alpha");
  scan();
  know_all("something else");
  std::swap(state_.assets[0].file, state_.assets[1].file);
  EXPECT_THAT(matched().before, ElementsAre(AssetBefore::doubtful, AssetBefore::doubtful));
}

TEST_F(AssetHashesTest, equal_content_is_found_where_asked_for) {
  folder_.write("content/a", "same");
  folder_.write("content/b", "same");
  folder_.write("content/c", "other size");
  folder_.write("content/d", "diff");
  scan();
  const AssetHashes hashes = hashed({.new_assets = NewAssets::equal_sizes, .threads = 3});
  EXPECT_EQ(hashes.hashes[0], hashes.hashes[1]);
  EXPECT_NE(hashes.hashes[0], hashes.hashes[3]);
  EXPECT_EQ(hashes.origins[2], HashOrigin::provisional);
  EXPECT_EQ(hashes.read_bytes, 12U);
}

TEST_F(AssetHashesTest, all_that_is_new_is_read_where_asked_for) {
  folder_.write("content/a", "known");
  folder_.write("content/b", "a size of its own");
  scan();
  know_all("something else");
  state_.files.pop_back();
  state_.assets.pop_back();
  const AssetHashes hashes = hashed({.new_assets = NewAssets::all});
  EXPECT_THAT(hashes.origins, ElementsAre(HashOrigin::known, HashOrigin::read));
  EXPECT_EQ(hashes.read_bytes, 17U);
}

TEST_F(AssetHashesTest, a_file_that_is_gone_is_an_error) {
  folder_.write("content/a", "same");
  folder_.write("content/b", "same");
  scan();
  std::filesystem::remove(folder_.path("content/b"));
  EXPECT_FALSE(hash_assets({content_, nullptr, true}, {.new_assets = NewAssets::equal_sizes}));
}

}  // namespace
}  // namespace seekless
