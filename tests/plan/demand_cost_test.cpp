#include "packer/plan/internal/demand_cost.h"

#include <numeric>

#include <gtest/gtest.h>

#include "packer/drive/load_start.h"
#include "packer/plan/internal/random_choice.h"
#include "tests/plan/read_costs.h"

namespace seekless {
namespace {

constexpr uint64_t kKilobyte = 1 << 10;

std::vector<uint32_t> as_they_come(size_t assets) {
  std::vector<uint32_t> order(assets);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

double run_s(const std::vector<uint64_t>& sizes_bytes, const std::vector<uint32_t>& run) {
  DemandCost cost(desktop_disk(), {});
  cost.lay(sizes_bytes, as_they_come(sizes_bytes.size()));
  return cost.run_s(run);
}

// Computes the same with the simulator's own parts, with the platter where it really is.
double simulated_s(const std::vector<uint64_t>& sizes_bytes, const std::vector<uint32_t>& run) {
  Drive drive(desktop_disk());
  PageCache cache(drive, {});
  std::vector<uint64_t> begins = {0};
  for (const uint64_t size : sizes_bytes) begins.push_back(begins.back() + size);
  CachedFile file = cache.open(cache.add_file(0, begins.back()).value());
  send_head_away(drive);
  double ms = 0;
  for (const uint32_t asset : run) ms += cache.read(file, begins[asset], sizes_bytes[asset]);
  return ms / 1000;
}

TEST(DemandCost, in_order_is_the_way_there_and_the_bytes) {
  const std::vector<uint64_t> sizes(40, 500'000);
  const Drive drive(desktop_disk());
  const double bytes_s = drive.sweep_ms(0, 20'000'000) / 1000;
  const double way_s = drive.access_ms(head_before_load_bytes(drive), 0) / 1000;
  EXPECT_NEAR(run_s(sizes, as_they_come(40)), way_s + bytes_s, 0.002);
}

TEST(DemandCost, a_gap_of_less_than_a_turn_is_passed_over_at_the_rate_of_the_medium) {
  const std::vector<uint64_t> sizes = {300'000, 600'000, 300'000};
  const double gap_s = Drive(desktop_disk()).sweep_ms(0, 600'000) / 1000;
  EXPECT_NEAR(run_s(sizes, {0, 2}) - run_s(sizes, {0}),
              gap_s + Drive(desktop_disk()).sweep_ms(0, 300'000) / 1000, 0.002);
}

// Neither the system nor the drive keeps bytes that were only passed over.
TEST(DemandCost, what_was_passed_over_is_not_in_memory) {
  const std::vector<uint64_t> sizes = {300'000, 600'000, 3'000'000, 300'000};
  const double there_s = run_s(sizes, {0, 2, 3});
  EXPECT_GT(run_s(sizes, {0, 2, 3, 1}) - there_s, 0.004 + 600'000 / 130e6);
}

// The cost is a turn minus the bytes in between, which take 4.8 ms.
TEST(DemandCost, going_back_costs_a_turn_unless_it_is_in_memory) {
  EXPECT_GT(run_s({300'000, 300'000}, {1, 0}), run_s({300'000, 300'000}, {0, 1}) + 0.003);
  // One command reads the page that both are in.
  EXPECT_DOUBLE_EQ(run_s({300, 300}, {1, 0}), run_s({300, 300}, {0, 1}));
}

TEST(DemandCost, small_assets_that_lie_together_cost_one_jump_together) {
  const std::vector<uint64_t> sizes(20'000, 200);
  EXPECT_LT(run_s(sizes, as_they_come(20'000)), run_s(sizes, {0}) + 0.05);
}

TEST(DemandCost, each_run_begins_with_nothing_in_memory) {
  DemandCost cost(desktop_disk(), {});
  cost.lay(std::vector<uint64_t>{kKilobyte, kKilobyte}, std::vector<uint32_t>{0, 1});
  const std::vector<uint32_t> run = {0, 1};
  const double s = cost.run_s(run);
  EXPECT_GT(s, 0.005);
  EXPECT_DOUBLE_EQ(cost.run_s(run), s);
}

TEST(DemandCost, empty_assets_and_empty_runs_cost_nothing) {
  EXPECT_EQ(run_s({0, 0}, {0, 1}), 0);
  EXPECT_EQ(run_s({kKilobyte}, {}), 0);
  EXPECT_DOUBLE_EQ(run_s({kKilobyte, 0, kKilobyte}, {0, 1, 2}),
                   run_s({kKilobyte, kKilobyte}, {0, 1}));
}

TEST(DemandCost, a_huge_asset_costs_its_bytes_but_no_memory) {
  const uint64_t huge_bytes = uint64_t{1} << 60;
  const std::vector<uint64_t> sizes(8, huge_bytes);
  const double s = run_s(sizes, {3});
  EXPECT_GT(s, static_cast<double>(huge_bytes) / 130e6);
  EXPECT_LT(s, static_cast<double>(huge_bytes) / 120e6);
}

TEST(DemandCost, more_than_the_drive_holds_is_read_all_the_same) {
  const std::vector<uint64_t> sizes(20'000, DemandCost::kMostSimulatedBytes);
  EXPECT_GT(run_s(sizes, {19'999}), 0.5);
}

TEST(DemandCost, on_solid_state_places_cost_nothing) {
  DemandCost cost(find_profile("sata-ssd").value(), {});
  const std::vector<uint64_t> sizes(9, 1'000'000);
  cost.lay(sizes, as_they_come(9));
  const double s = cost.run_s(std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_NEAR(cost.run_s(std::vector<uint32_t>{4, 0, 8, 2, 6, 1, 7, 5, 3}), s, 0.12 * s)
      << "but for shorter commands in sequence";
}

// On average, angles cost half a turn.
TEST(DemandCost, agrees_with_the_simulator_on_random_runs) {
  RandomChoice random(1);
  double all_s = 0;
  double all_simulated_s = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<uint64_t> sizes(100 + random.below(400));
    for (uint64_t& size : sizes) size = 1 + (uint64_t{1} << (6 + random.below(16)));
    std::vector<uint32_t> run;
    while (run.size() < 200) {
      // The reads are stretches in order, some of them reversed.
      const auto from = static_cast<uint32_t>(random.below(sizes.size()));
      const auto count = static_cast<uint32_t>(1 + random.below(20));
      const bool is_backward = random.below(4) == 0;
      for (uint32_t i = 0; i < count && from + i < sizes.size(); ++i)
        run.push_back(is_backward ? from - std::min(i, from) : from + i);
    }
    const double s = run_s(sizes, run);
    const double truth_s = simulated_s(sizes, run);
    EXPECT_NEAR(s, truth_s, 0.1 * truth_s) << round;
    all_s += s;
    all_simulated_s += truth_s;
  }
  EXPECT_NEAR(all_s, all_simulated_s, 0.03 * all_simulated_s);
}

}  // namespace
}  // namespace seekless
