#include "packer/project/internal/pack_key.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

namespace seekless {
namespace {

class PackKeyTest : public testing::Test {
 protected:
  PackKeyTest() {
    layout_.sources = {{.path = "x"}};
    layout_.scenarios = {{"a", 1}, {"b", 1}};
    layout_.scenario_sets = {{}, {0}, {1}};
    layout_.packs = {{"common", PackKind::common, {}}};
    for (const char* path : {"one", "two", "three"})
      layout_.packs[0].assets.push_back(
          {.path = layout_.paths.add(path), .size_bytes = 10, .scenario_set = 1});
  }

  uint64_t key() {
    return pack_key(layout_, layout_.packs[0], codec_, seed_,
                    [&](const LaidAsset& asset) -> const format::ContentHash& {
                      return hashes_[std::string(asset.path)];
                    });
  }

  LaidAsset& asset(size_t i) { return layout_.packs[0].assets[i]; }

  Layout layout_;
  format::Codec codec_ = format::Codec::raw;
  uint64_t seed_ = 0;
  std::map<std::string, format::ContentHash> hashes_;
};

TEST_F(PackKeyTest, everything_that_the_bytes_depend_on_changes_it) {
  std::set<uint64_t> keys = {key()};
  size_t expected = 1;
  const auto differs = [&] {
    keys.insert(key());
    EXPECT_EQ(keys.size(), ++expected);
  };
  hashes_["two"][5] = 1;
  differs();
  asset(0).size_bytes = 11;
  differs();
  asset(1).alignment_bytes = 4096;
  differs();
  asset(2).path = "four";
  differs();
  std::swap(asset(0), asset(1));
  differs();
  asset(2).scenario_set = 2;
  differs();
  layout_.block_bytes /= 2;
  differs();
  layout_.fold_case = true;
  differs();
  codec_ = format::Codec::lz4;
  differs();
  seed_ = 1;
  differs();
  layout_.packs[0].places = LaidPlaces{4096, {30}, {{0, 0}, {0, 10}, {0, 20}}};
  differs();
  layout_.packs[0].places->data_offset_bytes = 8192;
  differs();
  layout_.packs[0].places->assets[2].offset_bytes = 21;
  differs();
  layout_.packs[0].assets.pop_back();
  differs();
}

TEST_F(PackKeyTest, where_the_content_lies_doesnt_change_it) {
  const uint64_t before = key();
  layout_.sources.insert(layout_.sources.begin(), Source{.path = "y"});
  for (LaidAsset& each : layout_.packs[0].assets) each.source = 1;
  EXPECT_EQ(key(), before);
  // The number of the set of its readers doesn't matter, either.
  layout_.scenario_sets = {{}, {1}, {0}};
  for (LaidAsset& each : layout_.packs[0].assets) each.scenario_set = 2;
  EXPECT_EQ(key(), before);
  layout_.packs.push_back({"other", PackKind::sub, {}});
  EXPECT_EQ(key(), before);
}

}  // namespace
}  // namespace seekless
