#include "packer/keep/sweep_gaps.h"

#include <string>

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kReadThrough = 500;

// A pack of blocks, each with one asset that fills it, read by the scenarios of its set.
class SweepGaps : public testing::Test {
 protected:
  void add(uint32_t raw_bytes, uint32_t set, bool is_live = true) {
    const auto block = static_cast<uint32_t>(pack_.places->block_raw_bytes.size());
    pack_.places->block_raw_bytes.push_back(raw_bytes);
    if (is_live) add_at({block, 0}, raw_bytes, set);
  }

  void add_at(PlaceInPack place, uint64_t size_bytes, uint32_t set) {
    LaidAsset& asset = pack_.assets.emplace_back();
    asset.path = paths_.add("asset " + std::to_string(pack_.assets.size()));
    asset.size_bytes = size_bytes;
    asset.scenario_set = set;
    pack_.places->assets.push_back(place);
  }

  uint64_t swept() const { return swept_bytes(pack_, sets_, kReadThrough); }

  PathPool paths_;
  ReaderSets sets_{{{}, {0}, {1}, {0, 1}}};
  LaidPack pack_ = {"common", PackKind::common, {}, LaidPlaces{}};
};

TEST_F(SweepGaps, nothing_is_read_of_a_pack_that_nobody_reads) {
  EXPECT_EQ(swept(), 0U);
  add(1000, 0);
  EXPECT_EQ(swept(), 0U);
}

TEST_F(SweepGaps, each_scenario_comes_to_the_pack_and_reads_what_it_needs) {
  add(1000, 1);
  EXPECT_EQ(swept(), kReadThrough + 1000);
  add(700, 3);
  EXPECT_EQ(swept(), (kReadThrough + 1700) + (kReadThrough + 700));
}

TEST_F(SweepGaps, a_short_gap_is_read_and_a_long_one_costs_a_jump) {
  add(1000, 1);
  add(300, 1, false);
  add(1000, 1);
  EXPECT_EQ(swept(), kReadThrough + 2300);
  add(90'000, 1, false);
  add(1000, 1);
  EXPECT_EQ(swept(), kReadThrough + 3300 + kReadThrough);
}

TEST_F(SweepGaps, what_is_before_the_first_need_and_after_the_last_costs_nothing) {
  add(90'000, 1, false);
  add(1000, 1);
  add(90'000, 1, false);
  EXPECT_EQ(swept(), kReadThrough + 1000);
}

TEST_F(SweepGaps, a_block_is_read_whole_and_once) {
  add(1000, 1, false);
  add_at({0, 0}, 100, 1);
  add_at({0, 900}, 100, 1);
  EXPECT_EQ(swept(), kReadThrough + 1000);
}

TEST_F(SweepGaps, an_asset_of_several_blocks_ends_in_its_last) {
  add(1000, 1, false);
  add(1000, 1, false);
  add(600, 1, false);
  add_at({0, 0}, 2100, 1);
  add_at({2, 200}, 300, 1);
  EXPECT_EQ(swept(), kReadThrough + 2600);
}

TEST_F(SweepGaps, empty_assets_cost_nothing) {
  add(1000, 0);
  add_at({0, 0}, 0, 1);
  EXPECT_EQ(swept(), 0U);
}

}  // namespace
}  // namespace seekless
