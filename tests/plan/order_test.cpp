#include "packer/plan/order.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/plan/internal/read_costs.h"
#include "packer/plan/internal/run_set.h"
#include "tests/plan/noisy_runs.h"
#include "tests/plan/read_costs.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kMegabyte = 1'000'000;

bool holds_each_once(std::vector<uint32_t> order, size_t assets) {
  std::ranges::sort(order);
  for (uint32_t i = 0; i < order.size(); ++i)
    if (order[i] != i) return false;
  return order.size() == assets;
}

OrderProblem noisy_problem(uint32_t assets, size_t runs, uint64_t seed = 1) {
  NoisyRuns generator({.assets = assets, .total_bytes = assets * 220e3}, seed);
  return {generator.sizes_bytes(), generator.runs(runs), {}};
}

TEST(Order, of_nothing_is_empty) {
  const OrderResult result = best_order({}, desktop_disk());
  EXPECT_THAT(result.order, IsEmpty());
  EXPECT_EQ(result.method, "first-seen");
  EXPECT_EQ(result.held_out_s, 0);
}

TEST(Order, without_runs_is_by_index) {
  EXPECT_THAT(best_order({{1, 2, 3}, {}, {}}, desktop_disk()).order, ElementsAre(0, 1, 2));
  EXPECT_THAT(best_order({{1, 2, 3}, {{}, {}}, {}}, desktop_disk()).order, ElementsAre(0, 1, 2));
}

TEST(Order, of_one_run_is_that_run_and_then_what_it_does_not_read) {
  const std::vector<uint64_t> sizes(6, 5 * kMegabyte);
  const OrderResult result = best_order({sizes, {{4, 1, 3}}, {}}, desktop_disk());
  EXPECT_THAT(result.order, ElementsAre(4, 1, 3, 0, 2, 5));
  DemandCost cost(desktop_disk(), {});
  cost.lay(sizes, result.order);
  EXPECT_DOUBLE_EQ(result.held_out_s, cost.run_s(std::vector<uint32_t>{4, 1, 3}));
  const ReadCosts costs = read_costs(desktop_disk(), 30 * kMegabyte);
  EXPECT_NEAR(result.bound_s, costs.jump_s + 15 * kMegabyte / costs.bytes_per_s, 1e-9);
}

TEST(Order, of_one_long_run_is_that_run) {
  OrderProblem problem;
  problem.sizes_bytes.assign(500, 200'000);
  problem.runs.emplace_back(500);
  std::iota(problem.runs[0].begin(), problem.runs[0].end(), 0U);
  RandomChoice(1).shuffle(problem.runs[0]);
  EXPECT_EQ(best_order(problem, desktop_disk()).order, problem.runs[0]);
}

TEST(Order, of_one_asset_is_that_asset) {
  EXPECT_THAT(best_order({{100}, {{0}, {0}}, {}}, desktop_disk()).order, ElementsAre(0));
}

TEST(Order, repeats_within_a_run_are_passed_over) {
  const std::vector<uint64_t> sizes(3, 5 * kMegabyte);
  const OrderResult once = best_order({sizes, {{2, 0, 1}, {2, 0, 1}}, {}}, desktop_disk());
  const OrderResult again =
      best_order({sizes, {{2, 2, 0, 2, 1, 0}, {2, 0, 1, 1}}, {}}, desktop_disk());
  EXPECT_EQ(again.order, once.order);
  EXPECT_EQ(again.held_out_s, once.held_out_s);
  EXPECT_EQ(again.bound_s, once.bound_s);
}

TEST(Order, empty_runs_say_nothing) {
  const OrderProblem problem = noisy_problem(200, 4);
  OrderProblem with_empty = problem;
  with_empty.runs.push_back({});
  EXPECT_EQ(best_order(with_empty, desktop_disk()).order,
            best_order(problem, desktop_disk()).order);
}

TEST(Order, assets_without_bytes_cost_nothing_and_keep_a_place) {
  const OrderResult result = best_order({{0, 0, 0}, {{2, 1}, {1, 2}}, {}}, desktop_disk());
  EXPECT_TRUE(holds_each_once(result.order, 3));
  EXPECT_EQ(result.held_out_s, 0);
  EXPECT_EQ(result.bound_s, 0);
}

TEST(Order, an_asset_larger_than_the_cache_is_laid_like_others) {
  const std::vector<uint64_t> sizes = {kMegabyte, 900 * kMegabyte, kMegabyte};
  EXPECT_THAT(best_order({sizes, {{2, 1, 0}, {2, 1, 0}}, {}}, desktop_disk()).order,
              ElementsAre(2, 1, 0));
}

TEST(Order, sizes_at_the_limit_of_numbers_overflow_nothing) {
  const std::vector<uint64_t> sizes(20, UINT64_MAX);
  const OrderResult result =
      best_order({sizes, {{3, 4, 5}, {3, 4, 5}, {3, 5, 4}}, {}}, desktop_disk());
  EXPECT_TRUE(holds_each_once(result.order, 20));
  EXPECT_TRUE(std::isfinite(result.held_out_s));
}

TEST(Order, runs_that_share_nothing_are_each_kept_in_one_piece) {
  const std::vector<uint64_t> sizes(9, 5 * kMegabyte);
  const OrderResult result =
      best_order({sizes, {{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}, {}}, desktop_disk());
  ASSERT_TRUE(holds_each_once(result.order, 9));
  EXPECT_THAT(result.outlier_runs, IsEmpty());
  const std::vector<uint32_t> places = places_of(result.order);
  for (const uint32_t first : {0, 1, 2}) {
    EXPECT_EQ(places[first + 3], places[first] + 1);
    EXPECT_EQ(places[first + 6], places[first] + 2);
  }
}

TEST(Order, of_many_runs_that_share_nothing_holds_all) {
  OrderProblem problem;
  problem.sizes_bytes.assign(600, 200'000);
  for (uint32_t run = 0; run < 6; ++run)
    for (problem.runs.emplace_back(); problem.runs[run].size() < 100;)
      problem.runs[run].push_back(run + 6 * static_cast<uint32_t>(problem.runs[run].size()));
  EXPECT_TRUE(holds_each_once(best_order(problem, desktop_disk()).order, 600));
}

TEST(Order, what_no_run_reads_comes_last_by_index) {
  OrderProblem problem = noisy_problem(300, 6);
  const size_t assets = problem.sizes_bytes.size();
  problem.sizes_bytes.resize(assets + 3, kMegabyte);
  const std::vector<uint32_t> order = best_order(problem, desktop_disk()).order;
  ASSERT_TRUE(holds_each_once(order, assets + 3));
  std::vector<bool> is_read(assets + 3);
  for (const auto& run : problem.runs)
    for (const uint32_t asset : run) is_read[asset] = true;
  const auto unread = std::ranges::find_if(order, [&](uint32_t asset) { return !is_read[asset]; });
  EXPECT_TRUE(std::none_of(unread, order.end(), [&](uint32_t asset) { return is_read[asset]; }));
  EXPECT_TRUE(std::is_sorted(unread, order.end()));
  EXPECT_EQ(order.back(), assets + 2);
}

TEST(Order, runs_weigh_as_they_are_told_to) {
  const std::vector<uint64_t> sizes(4, 5 * kMegabyte);
  const std::vector<std::vector<uint32_t>> runs = {{0, 1, 2, 3}, {3, 2, 1, 0}};
  EXPECT_THAT(best_order({sizes, runs, {9, 1}}, desktop_disk()).order, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(best_order({sizes, runs, {1, 9}}, desktop_disk()).order, ElementsAre(3, 2, 1, 0));
}

TEST(Order, runs_of_weight_zero_do_not_count_unless_all_are) {
  const std::vector<uint64_t> sizes(4, 5 * kMegabyte);
  const std::vector<std::vector<uint32_t>> runs = {{0, 1}, {3, 2, 1, 0}, {3, 2, 1, 0}};
  EXPECT_THAT(best_order({sizes, runs, {1, 0, 0}}, desktop_disk()).order, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(best_order({sizes, runs, {0, 0, 0}}, desktop_disk()).order,
            best_order({sizes, runs, {}}, desktop_disk()).order);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(best_order({sizes, runs, {1, nan, -1}}, desktop_disk()).order,
            best_order({sizes, runs, {1, 0, 0}}, desktop_disk()).order);
}

TEST(Order, names_the_run_that_reads_something_else) {
  OrderProblem problem = noisy_problem(200, 6);
  const size_t assets = problem.sizes_bytes.size();
  problem.sizes_bytes.resize(assets + 150, 200'000);
  std::vector<uint32_t> odd(problem.runs[0].begin(), problem.runs[0].begin() + 20);
  for (uint32_t i = 0; i < 150; ++i) odd.push_back(static_cast<uint32_t>(assets) + i);
  problem.runs.push_back(std::move(odd));
  std::swap(problem.runs[2], problem.runs.back());
  EXPECT_THAT(best_order(problem, desktop_disk()).outlier_runs, ElementsAre(2));
}

TEST(Order, two_runs_have_no_outlier) {
  EXPECT_THAT(best_order({{1, 1, 1}, {{0, 1}, {2}}, {}}, desktop_disk()).outlier_runs, IsEmpty());
}

TEST(Order, dropped_outliers_are_as_if_never_recorded) {
  OrderProblem problem = noisy_problem(200, 6);
  const auto assets = static_cast<uint32_t>(problem.sizes_bytes.size());
  problem.sizes_bytes.resize(assets + 50, 200'000);
  const OrderResult without = best_order(problem, desktop_disk());
  problem.runs.push_back({1, 0});
  std::vector<uint32_t> odd;
  for (uint32_t i = 0; i < 50; ++i) odd.push_back(assets + i);
  problem.runs.back() = odd;
  const OrderResult dropped = best_order(problem, desktop_disk(), {.drop_outliers = true});
  EXPECT_THAT(dropped.outlier_runs, ElementsAre(6));
  EXPECT_EQ(dropped.order, without.order);
  EXPECT_EQ(dropped.held_out_s, without.held_out_s);
}

TEST(Order, is_the_same_on_several_threads_at_once) {
  const OrderProblem problem = noisy_problem(300, 7);
  const OrderResult alone = best_order(problem, desktop_disk());
  std::vector<std::future<OrderResult>> others;
  for (int i = 0; i < 4; ++i)
    others.push_back(
        std::async(std::launch::async, [&] { return best_order(problem, desktop_disk()); }));
  for (auto& other : others) {
    const OrderResult result = other.get();
    EXPECT_EQ(result.order, alone.order);
    EXPECT_EQ(result.held_out_s, alone.held_out_s);
    EXPECT_EQ(result.method, alone.method);
  }
}

TEST(Order, is_judged_by_runs_it_was_not_made_from) {
  // Runs are random: an order fitted to some of them gains nothing for the others.
  OrderProblem problem;
  problem.sizes_bytes.assign(9, 5 * kMegabyte);
  RandomChoice random(3);
  for (int i = 0; i < 4; ++i) {
    problem.runs.push_back({0, 1, 2, 3, 4, 5, 6, 7, 8});
    random.shuffle(problem.runs.back());
  }
  const OrderResult result = best_order(problem, desktop_disk());
  const RunSet set(problem.sizes_bytes, problem.runs, {});
  DemandCost cost(desktop_disk(), {});
  const std::vector<uint32_t> all = {0, 1, 2, 3};
  EXPECT_GT(result.held_out_s, mean_run_s(set, all, result.order, cost));
}

TEST(Order, of_noisy_runs_nears_the_true_one_and_beats_the_simple_ones) {
  for (const uint64_t seed : {1, 2, 3}) {
    NoisyRuns generator({.assets = 600, .total_bytes = 130e6}, seed);
    const OrderProblem problem = {generator.sizes_bytes(), generator.runs(10), {}};
    const OrderResult result = best_order(problem, desktop_disk());
    const auto fresh_runs = generator.runs(20);
    const RunSet fresh(problem.sizes_bytes, fresh_runs, {});
    std::vector<uint32_t> all(20);
    std::iota(all.begin(), all.end(), 0U);
    DemandCost cost(desktop_disk(), {});
    const double found_s = mean_run_s(fresh, all, result.order, cost);
    EXPECT_LT(found_s, 1.08 * mean_run_s(fresh, all, generator.true_order(), cost));
    EXPECT_LT(result.held_out_s, result.first_seen_s);
    EXPECT_LT(result.bound_s, result.held_out_s);
    EXPECT_NEAR(result.held_out_s, found_s, 0.1 * found_s);
  }
}

TEST(Order, effort_zero_leaves_the_chosen_method_unpolished) {
  const OrderProblem problem = noisy_problem(300, 6);
  const OrderResult plain = best_order(problem, desktop_disk(), {.effort = 0});
  EXPECT_EQ(plain.polish_rounds, 0U);
  EXPECT_LE(best_order(problem, desktop_disk()).held_out_s, plain.held_out_s);
}

TEST(Order, on_solid_state_costs_the_same_whatever_the_order) {
  const DriveProfile kSolid = find_profile("sata-ssd").value();
  const OrderProblem problem = noisy_problem(200, 4);
  const OrderResult result = best_order(problem, kSolid);
  EXPECT_TRUE(holds_each_once(result.order, problem.sizes_bytes.size()));
  EXPECT_NEAR(result.held_out_s, result.first_seen_s, 0.1 * result.first_seen_s);
}

}  // namespace
}  // namespace seekless
