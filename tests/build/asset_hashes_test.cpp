#include "packer/build/asset_hashes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "packer/pack/content_hash.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::ElementsAre;

format::ContentHash hash_of(std::string_view text) {
  return canonical(XXH3_128bits(text.data(), text.size()));
}

// Loose files, and what a build before this one knew of them.
class AssetHashesTest : public testing::Test {
 protected:
  void scan() {
    roots_ = {folder_.path("content")};
    auto content = scan_content(roots_, {});
    ASSERT_TRUE(content) << content.error().message;
    content_ = *std::move(content);
    stamps_.assign(content_.sources.size(), {});
    for (size_t i = 0; i < stamps_.size(); ++i)
      stamps_[i] = {content_.sources[i].size_bytes, 1, 1, i};
  }

  void know_all(std::string_view hash_of_text) {
    for (uint32_t i = 0; i < content_.assets.size(); ++i) {
      const Asset& asset = content_.assets[i];
      state_.files.push_back({asset.path, 0, SourceKind::file, true, stamps_[asset.place.source]});
      state_.assets.push_back({asset.path, i, 0, asset.place.size_bytes, hash_of(hash_of_text)});
    }
  }

  AssetHashes hashed(const HashOptions& options = {}, bool trusts_stamps = true) {
    auto hashes = hash_assets({content_, roots_, stamps_, &state_, trusts_stamps}, options);
    EXPECT_TRUE(hashes) << hashes.error().message;
    return hashes ? *std::move(hashes) : AssetHashes{};
  }

  const TestFolder folder_;
  std::vector<std::string> roots_;
  Content content_;
  std::vector<ChangeStamp> stamps_;
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
  stamps_[0].written_ns = 2;
  const AssetHashes hashes = hashed();
  EXPECT_THAT(hashes.origins, ElementsAre(HashOrigin::read));
  EXPECT_EQ(hashes.hashes[0], hash_of("alpha"));
  EXPECT_EQ(hashes.read_bytes, 5U);
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

TEST_F(AssetHashesTest, equal_content_is_found_where_asked_for) {
  folder_.write("content/a", "same");
  folder_.write("content/b", "same");
  folder_.write("content/c", "other size");
  folder_.write("content/d", "diff");
  scan();
  const AssetHashes hashes = hashed({.finds_equal = true, .threads = 3});
  EXPECT_EQ(hashes.hashes[0], hashes.hashes[1]);
  EXPECT_NE(hashes.hashes[0], hashes.hashes[3]);
  EXPECT_EQ(hashes.origins[2], HashOrigin::provisional);
  EXPECT_EQ(hashes.read_bytes, 12U);
}

TEST_F(AssetHashesTest, a_file_that_is_gone_is_an_error) {
  folder_.write("content/a", "same");
  folder_.write("content/b", "same");
  scan();
  std::filesystem::remove(folder_.path("content/b"));
  EXPECT_FALSE(hash_assets({content_, roots_, stamps_, nullptr, true}, {.finds_equal = true}));
}

}  // namespace
}  // namespace seekless
