#include "packer/update/kept_content.h"

#include <gtest/gtest.h>

#include "packer/base/hasher.h"
#include "packer/keep/generations.h"
#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

constexpr size_t kContentBytes = 300'000;

format::ContentHash hash_of(const std::string& text) {
  return canonical(XXH3_128bits(text.data(), text.size()));
}

// A set with one asset, its lock, and today's content with that asset edited.
struct Edited {
  explicit Edited(std::string now) : text(std::move(now)) {
    set.add_pack("common");
    set.add("a", before);
    content.paths = set.layout.paths;
    content.sources = set.layout.sources;
    Asset asset;
    asset.path = content.paths.add("a");
    asset.place.size_bytes = asset.place.stored_bytes = before.size();
    content.assets.push_back(std::move(asset));
    hashes = {hash_of(before)};
    const HashedContent hashed(content, hashes);
    set.layout = place_layout(set.layout, hashed);
    lock = make_lock(set.layout, hashed);
    set.write();
    content.sources = {
        {.path = content.paths.add(folder.write("a", text)), .size_bytes = text.size()}};
    content.assets[0].place.size_bytes = content.assets[0].place.stored_bytes = text.size();
    hashes = {hash_of(text)};
  }

  KeptContent kept() const { return kept_in(set.folder()); }
  KeptContent kept_in(const std::string& packs) const {
    const auto found = find_kept(lock, packs, {content, hashes}, content.sources);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(KeptContent());
  }

  const std::string before = noise(kContentBytes, 1);
  std::string text;
  SetMaker set;
  TestFolder folder;
  Content content;
  std::vector<format::ContentHash> hashes;
  LayoutLock lock;
};

TEST(KeptContent, tells_the_front_and_the_back_that_an_edit_keeps) {
  const std::string before = noise(kContentBytes, 1);
  const Edited edited(before.substr(0, 200'000) + noise(10'000, 2) + before.substr(250'000));
  const KeptContent kept = edited.kept();
  ASSERT_EQ(kept.size(), 1U);
  const KeptBytes& of = kept.at(hash_of(edited.text));
  EXPECT_EQ(of.old_hash, hash_of(before));
  EXPECT_NEAR(static_cast<double>(of.front_bytes), 200'000, 2);
  EXPECT_NEAR(static_cast<double>(of.back_bytes), 50'000, 2);
  EXPECT_GE(of.fresh_chunk_bytes, 10'000U);
  EXPECT_LT(of.fresh_chunk_bytes, 100'000U);
}

TEST(KeptContent, finds_nothing_in_other_content) {
  const Edited edited(noise(kContentBytes, 9));
  const KeptBytes of = edited.kept().at(hash_of(edited.text));
  EXPECT_LT(of.front_bytes + of.back_bytes, 3U);
  EXPECT_EQ(of.fresh_chunk_bytes, kContentBytes);
}

TEST(KeptContent, finds_nothing_where_no_pack_lies_or_another_one) {
  const Edited edited(noise(kContentBytes, 9));
  EXPECT_TRUE(edited.kept_in("/nowhere").empty());
  const std::string pack = edited.set.file("common.skl");
  std::ofstream(pack, std::ios::binary | std::ios::trunc) << std::string(2 * kContentBytes, 'x');
  EXPECT_TRUE(edited.kept().empty());
  std::ofstream(pack, std::ios::binary | std::ios::trunc) << "short";
  EXPECT_TRUE(edited.kept().empty());
}

TEST(KeptContent, never_counts_bytes_twice) {
  const Edited shorter(noise(kContentBytes, 1).substr(0, 1000));
  const KeptBytes of = shorter.kept().at(hash_of(shorter.text));
  EXPECT_EQ(of.front_bytes + of.back_bytes, 1000U);
}

}  // namespace
}  // namespace seekless
