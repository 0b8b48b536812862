#include "packer/plan/demand_cost.h"

#include <numeric>

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kBlock = 1 << 10;
// A jump costs as much as ten blocks.
constexpr ReadCosts kCosts = {.jump_s = 10, .bytes_per_s = kBlock};
constexpr DemandOptions kOptions = {.block_bytes = kBlock, .cache_bytes = 16 * kBlock};

double run_s(const std::vector<uint64_t>& sizes_bytes, const std::vector<uint32_t>& run,
             const DemandOptions& options = kOptions) {
  std::vector<uint32_t> order(sizes_bytes.size());
  std::iota(order.begin(), order.end(), 0U);
  DemandCost cost(kCosts, options);
  cost.lay(sizes_bytes, order);
  return cost.run_s(run);
}

TEST(DemandCost, what_lies_in_order_costs_one_jump_and_its_blocks) {
  EXPECT_DOUBLE_EQ(run_s({2 * kBlock, kBlock, 3 * kBlock}, {0, 1, 2}), 10 + 6);
}

TEST(DemandCost, a_short_gap_forward_is_read_through_and_a_long_one_jumped_over) {
  EXPECT_DOUBLE_EQ(run_s({kBlock, 10 * kBlock, kBlock}, {0, 2}), 10 + 1 + 10 + 1);
  EXPECT_DOUBLE_EQ(run_s({kBlock, 9 * kBlock, kBlock}, {0, 2}), 10 + 1 + 9 + 1);
  EXPECT_DOUBLE_EQ(run_s({kBlock, 99 * kBlock, kBlock}, {0, 2}), 10 + 1 + 10 + 1);
}

TEST(DemandCost, going_back_costs_a_jump_however_near) {
  EXPECT_DOUBLE_EQ(run_s({kBlock, kBlock}, {1, 0}), 2 * (10 + 1));
}

TEST(DemandCost, a_gap_read_through_is_in_the_cache) {
  EXPECT_DOUBLE_EQ(run_s({kBlock, kBlock, kBlock}, {0, 2, 1}), 10 + 3);
  EXPECT_DOUBLE_EQ(run_s({kBlock, 11 * kBlock, kBlock}, {0, 2, 1}), 10 + 1 + 10 + 1 + 10 + 11);
}

TEST(DemandCost, neighbours_share_a_block) {
  EXPECT_DOUBLE_EQ(run_s({kBlock / 2, kBlock / 2}, {0, 1}), 10 + 1);
  EXPECT_DOUBLE_EQ(run_s({kBlock / 2, kBlock / 2}, {1, 0}), 10 + 1);
}

TEST(DemandCost, evicts_what_was_not_used_for_longest) {
  const std::vector<uint64_t> sizes(6, kBlock);
  const DemandOptions four = {.block_bytes = kBlock, .cache_bytes = 4 * kBlock};
  // 0 is used again before 4 comes, so 1 goes.
  EXPECT_DOUBLE_EQ(run_s(sizes, {0, 1, 2, 3, 0, 4, 0}, four), 10 + 5);
  EXPECT_DOUBLE_EQ(run_s(sizes, {0, 1, 2, 3, 0, 4, 1}, four), 10 + 5 + 10 + 1);
}

TEST(DemandCost, each_run_begins_with_an_empty_cache) {
  DemandCost cost(kCosts, kOptions);
  cost.lay(std::vector<uint64_t>{kBlock, kBlock}, std::vector<uint32_t>{0, 1});
  const std::vector<uint32_t> run = {0, 1};
  EXPECT_DOUBLE_EQ(cost.run_s(run), 12);
  EXPECT_DOUBLE_EQ(cost.run_s(run), 12);
}

TEST(DemandCost, empty_assets_and_empty_runs_cost_nothing) {
  EXPECT_EQ(run_s({0, 0}, {0, 1}), 0);
  EXPECT_EQ(run_s({kBlock}, {}), 0);
  EXPECT_DOUBLE_EQ(run_s({kBlock, 0, kBlock}, {0, 1, 2}), 10 + 2);
}

TEST(DemandCost, an_asset_larger_than_the_cache_leaves_its_end_there) {
  const std::vector<uint64_t> sizes = {40 * kBlock, kBlock};
  EXPECT_DOUBLE_EQ(run_s(sizes, {0, 1}), 10 + 41);
  EXPECT_DOUBLE_EQ(run_s(sizes, {1, 0, 1}), 2 * 10 + 41 + 1);
}

TEST(DemandCost, a_huge_asset_costs_its_bytes_but_no_memory) {
  const uint64_t huge_bytes = uint64_t{1} << 60;
  const std::vector<uint64_t> sizes(8, huge_bytes);
  EXPECT_DOUBLE_EQ(run_s(sizes, {3}), 10 + static_cast<double>(huge_bytes / kBlock));
}

TEST(DemandCost, on_solid_state_places_cost_nothing) {
  DemandCost cost({.jump_s = 0, .bytes_per_s = kBlock}, kOptions);
  cost.lay(std::vector<uint64_t>{kBlock, 5 * kBlock, kBlock}, std::vector<uint32_t>{2, 0, 1});
  EXPECT_DOUBLE_EQ(cost.run_s(std::vector<uint32_t>{0, 1, 2}), 7);
}

// The same, plainly: a list of blocks, the oldest first.
double plain_run_s(const std::vector<uint64_t>& begins, const std::vector<uint64_t>& sizes,
                   const std::vector<uint32_t>& run, size_t cache_blocks) {
  std::vector<uint64_t> cache;
  double s = 0;
  uint64_t head = UINT64_MAX;
  const auto touch = [&](uint64_t block) {
    std::erase(cache, block);
    cache.push_back(block);
    if (cache.size() > cache_blocks) cache.erase(cache.begin());
  };
  for (const uint32_t asset : run)
    for (uint64_t block = begins[asset] / kBlock; block * kBlock < begins[asset] + sizes[asset];
         ++block) {
      if (std::ranges::find(cache, block) == cache.end()) {
        if (head <= block && block - head <= 10) {
          s += static_cast<double>(block - head);
          while (head < block) touch(head++);
        } else {
          s += 10;
        }
        s += 1;
        head = block + 1;
      }
      touch(block);
    }
  return s;
}

TEST(DemandCost, agrees_with_a_plain_model_on_random_runs) {
  uint64_t state = 1;
  const auto below = [&](uint64_t end) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % end;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> sizes(1 + below(30));
    std::vector<uint64_t> begins;
    uint64_t at = 0;
    for (uint64_t& size : sizes) {
      begins.push_back(at);
      at += size = 1 + below(6 * kBlock);
    }
    std::vector<uint32_t> run(below(100));
    for (uint32_t& asset : run) asset = static_cast<uint32_t>(below(sizes.size()));
    EXPECT_DOUBLE_EQ(run_s(sizes, run), plain_run_s(begins, sizes, run, 16)) << round;
  }
}

}  // namespace
}  // namespace seekless
