// Tests the methods one by one, in cases where each is known to be right.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/plan/internal/aligned_order.h"
#include "packer/plan/internal/asset_values.h"
#include "packer/plan/internal/chain_order.h"
#include "packer/plan/internal/folds.h"
#include "packer/plan/internal/medoid_order.h"
#include "packer/plan/internal/partition_order.h"
#include "packer/plan/internal/precedence.h"
#include "packer/plan/internal/random_choice.h"
#include "packer/plan/internal/rank_orders.h"
#include "packer/plan/internal/repair_polish.h"
#include "packer/plan/internal/small_polish.h"
#include "packer/plan/internal/strays.h"
#include "tests/plan/read_costs.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

using Recorded = std::vector<std::vector<uint32_t>>;

std::vector<uint32_t> counting(uint32_t begin, uint32_t end) {
  std::vector<uint32_t> numbers(end - begin);
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

struct Problem {
  std::vector<uint64_t> sizes_bytes;
  RunSet set;
  std::vector<uint32_t> all;

  Problem(size_t assets, const Recorded& runs)
      : sizes_bytes(assets, 1'000'000),
        set(sizes_bytes, runs, {}),
        all(counting(0, static_cast<uint32_t>(runs.size()))) {}
};

std::vector<uint32_t> joined(std::vector<uint32_t> first, const std::vector<uint32_t>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(RankOrders, first_seen_appends_what_later_runs_add) {
  const Problem p(6, {{3, 1}, {5, 3, 0, 1}});
  EXPECT_THAT(first_seen_order(p.set, p.all), ElementsAre(3, 1, 5, 0, 2, 4));
}

TEST(RankOrders, mean_and_median_break_ties_by_index) {
  const Problem p(3, {{1, 0, 2}, {0, 1, 2}});
  EXPECT_THAT(mean_rank_order(p.set, p.all), ElementsAre(0, 1, 2));
  EXPECT_THAT(median_rank_order(p.set, p.all), ElementsAre(0, 1, 2));
}

TEST(RankOrders, a_median_is_deaf_to_one_stray_and_a_mean_is_not) {
  const std::vector<uint32_t> straight = counting(0, 10);
  const Problem p(10, {straight, straight, joined({9}, counting(0, 9))});
  EXPECT_EQ(median_rank_order(p.set, p.all), straight);
  EXPECT_NE(mean_rank_order(p.set, p.all), straight);
}

TEST(AssetValues, the_midmean_is_the_mean_of_the_middle_half) {
  std::vector<WeightedValue> values = {{-100, 1}, {1, 1}, {3, 1}, {100, 1}};
  EXPECT_DOUBLE_EQ(weighted_midmean(values), 2);
  std::vector<WeightedValue> heavy = {{5, 10}, {100, 1}};
  EXPECT_DOUBLE_EQ(weighted_midmean(heavy), 5);
}

TEST(MedoidOrder, is_the_run_that_serves_the_others_best) {
  std::vector<uint32_t> backwards = counting(0, 40);
  std::ranges::reverse(backwards);
  const Problem p(40, {backwards, counting(0, 40), counting(0, 40)});
  DemandCost cost(desktop_disk(), {});
  EXPECT_EQ(medoid_run(p.set, p.all, cost), 1U);
}

TEST(MedoidOrder, others_go_behind_what_they_followed_or_before_what_they_led) {
  const Problem p(7, {{0, 1, 2}, {0, 4, 1, 5}, {6, 2}});
  EXPECT_THAT(run_with_others_inserted(p.set, 0, p.all), ElementsAre(0, 4, 1, 5, 6, 2, 3));
}

TEST(AlignedOrder, runs_that_begin_with_another_phase_count_as_much) {
  const std::vector<uint32_t> straight = counting(0, 90);
  const std::vector<uint32_t> rotated = joined(counting(40, 90), counting(0, 40));
  const Problem p(90, {rotated, straight, rotated});
  for (const auto& reference : {straight, rotated}) {
    const Order order = aligned_order(p.set, p.all, reference);
    EXPECT_TRUE(order == straight || order == rotated);
  }
}

TEST(AlignedOrder, swaps_of_neighbours_average_out) {
  Recorded runs;
  for (uint32_t run = 0; run < 5; ++run) {
    runs.push_back(counting(0, 60));
    for (uint32_t i = run * 2; i + 1 < 60; i += 10) std::swap(runs[run][i], runs[run][i + 1]);
  }
  const Problem p(60, runs);
  EXPECT_EQ(aligned_order(p.set, p.all, runs[0]), counting(0, 60));
}

TEST(StraysLast, what_is_read_anywhere_goes_behind_what_has_a_place) {
  Recorded runs;
  for (uint32_t run = 0; run < 10; ++run) {
    runs.push_back(counting(0, 100));
    // 100 has a place but is rare; 101 has none.
    if (run < 4) runs[run].insert(runs[run].begin() + 50, 100);
    if (run < 3) runs[run].insert(runs[run].begin() + 5 + 30 * run, 101);
  }
  const Problem p(102, runs);
  Order order = counting(0, 100);
  order.insert(order.begin() + 50, 100);
  order.insert(order.begin() + 20, 101);
  const Order split =
      with_strays_last(p.set, p.all, order, {.jump_s = 0.0085, .bytes_per_s = 169e6}, 4'000'000);
  EXPECT_EQ(split.back(), 101U);
  EXPECT_EQ(split[50], 100U);
}

TEST(Precedence, what_most_runs_agree_on_is_put_right) {
  const Problem p(6, {{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 5, 4}, {1, 0, 2, 3, 4, 5}});
  EXPECT_THAT(with_precedence_kept(p.set, p.all, {3, 1, 0, 2, 5, 4}),
              ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Precedence, of_runs_that_lack_assets_the_whole_order_is_found) {
  Recorded runs;
  for (uint32_t lacking = 0; lacking < 8; ++lacking) {
    runs.emplace_back();
    for (uint32_t asset = 0; asset < 8; ++asset)
      if (asset != lacking) runs.back().push_back(asset);
  }
  const Problem p(8, runs);
  EXPECT_THAT(with_precedence_kept(p.set, p.all, {7, 2, 0, 1, 3, 5, 4, 6}),
              ElementsAreArray(counting(0, 8)));
}

TEST(Precedence, sure_pairs_are_exchanged_and_doubtful_ones_stay) {
  const Problem p(4, {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 1, 2, 3}, {0, 1, 3, 2}});
  EXPECT_THAT(with_sure_pairs_kept(p.set, p.all, {1, 0, 3, 2}), ElementsAre(0, 1, 3, 2));
}

// Groups of five keep their own order; the groups come in any order.
Recorded shuffled_groups(uint32_t groups, size_t runs) {
  Recorded recorded(runs);
  RandomChoice random(5);
  for (std::vector<uint32_t>& run : recorded) {
    std::vector<uint32_t> order = counting(0, groups);
    random.shuffle(order);
    for (const uint32_t group : order)
      for (uint32_t i = 0; i < 5; ++i) run.push_back(group * 5 + i);
  }
  return recorded;
}

TEST(ChainOrder, groups_that_come_in_any_order_are_kept_in_one_piece) {
  const Problem p(200, shuffled_groups(40, 6));
  const std::vector<uint32_t> places = places_of(chain_order(p.set, p.all, counting(0, 200)));
  for (uint32_t group = 0; group < 40; ++group)
    for (uint32_t i = 1; i < 5; ++i)
      EXPECT_EQ(places[group * 5 + i], places[group * 5] + i) << group;
}

TEST(ChainOrder, chains_lie_where_the_base_has_them) {
  const Problem p(6, {{0, 1, 2}, {3, 4, 5}});
  EXPECT_THAT(chain_order(p.set, p.all, {5, 4, 3, 2, 1, 0}), ElementsAre(3, 4, 5, 0, 1, 2));
}

TEST(PartitionOrder, what_is_read_in_one_stretch_comes_together) {
  const Problem p(200, shuffled_groups(40, 8));
  std::vector<uint32_t> scattered = counting(0, 200);
  RandomChoice(2).shuffle(scattered);
  const Order order = partition_order(p.set, p.all, scattered);
  const auto span_of_groups = [](const Order& laid) {
    const std::vector<uint32_t> places = places_of(laid);
    uint64_t span = 0;
    for (uint32_t group = 0; group < 40; ++group) {
      const auto [first, last] =
          std::minmax_element(places.begin() + group * 5, places.begin() + group * 5 + 5);
      span += *last - *first;
    }
    return span;
  };
  EXPECT_LT(span_of_groups(order), span_of_groups(scattered) / 2);
}

TEST(PartitionOrder, keeps_a_start_that_is_perfect_and_leaves_the_unread_last) {
  // Halves end where stretches of 4 MB do.
  const Problem p(70, {counting(0, 64), counting(0, 64)});
  EXPECT_EQ(partition_order(p.set, p.all, counting(0, 70)), counting(0, 70));
}

TEST(Folds, up_to_four_runs_are_each_held_out_once) {
  const Problem p(2, {{0}, {1}, {0, 1}});
  const std::vector<Fold> folds = make_folds(p.set, p.all, 1);
  ASSERT_EQ(folds.size(), 3U);
  std::vector<uint32_t> held_out;
  for (const Fold& fold : folds) {
    EXPECT_EQ(fold.train.size(), 2U);
    held_out.insert(held_out.end(), fold.held_out.begin(), fold.held_out.end());
  }
  EXPECT_THAT(held_out, testing::UnorderedElementsAre(0, 1, 2));
}

TEST(Folds, of_more_runs_a_fifth_is_held_out_at_a_time) {
  const Problem p(1, Recorded(12, {0}));
  const std::vector<Fold> folds = make_folds(p.set, p.all, 1);
  ASSERT_EQ(folds.size(), 5U);
  size_t held_out = 0;
  for (const Fold& fold : folds) {
    EXPECT_EQ(fold.train.size() + fold.held_out.size(), 12U);
    held_out += fold.held_out.size();
  }
  EXPECT_EQ(held_out, 12U);
}

TEST(Folds, one_run_cannot_be_held_out) {
  const Problem p(1, {{0}});
  EXPECT_THAT(make_folds(p.set, p.all, 1), IsEmpty());
}

TEST(SmallPolish, finds_the_order_that_all_runs_have) {
  const std::vector<uint32_t> truth = {4, 0, 6, 2, 7, 1, 5, 3};
  const Problem p(8, {truth, truth});
  DemandCost cost(desktop_disk(), {});
  ASSERT_TRUE(is_small(p.set, p.all));
  const std::vector<Order> starts = {counting(0, 8)};
  const Order polished = polish_small(p.set, p.all, starts, cost, 0, 1);
  EXPECT_LE(mean_run_s(p.set, p.all, polished, cost), mean_run_s(p.set, p.all, truth, cost));
}

TEST(RepairPolish, moves_what_lies_in_the_wrong_place_to_where_runs_read_it) {
  const std::vector<uint32_t> truth = counting(0, 100);
  const Problem p(100, {truth, truth, truth, truth});
  DemandCost cost(desktop_disk(), {});
  Order order = truth;
  std::rotate(order.begin() + 10, order.begin() + 13, order.begin() + 70);
  RepairPolish polish(p.set, p.all, cost, 1000);
  const double before_s = mean_run_s(p.set, p.all, order, cost);
  while (polish.improve(order)) {
  }
  EXPECT_LT(mean_run_s(p.set, p.all, order, cost), before_s);
  EXPECT_EQ(order, truth);
}

TEST(RepairPolish, leaves_a_perfect_order_alone) {
  const Problem p(100, {counting(0, 100), counting(0, 100)});
  DemandCost cost(desktop_disk(), {});
  Order order = counting(0, 100);
  EXPECT_FALSE(RepairPolish(p.set, p.all, cost, 1000).improve(order));
  EXPECT_EQ(order, counting(0, 100));
}

}  // namespace
}  // namespace seekless
