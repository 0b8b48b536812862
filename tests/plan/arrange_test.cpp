#include "packer/plan/arrange.h"

#include <random>

#include <gtest/gtest.h>

#include "packer/plan/internal/atom_order.h"
#include "packer/plan/internal/copies.h"
#include "tests/plan/exhaustive.h"
#include "tests/plan/random_instance.h"
#include "tests/plan/read_costs.h"
#include "tests/rounds.h"

namespace seekless {
namespace {

double seconds(const SharedContent& content, const Arrangement& arrangement) {
  return ArrangementCost(content).weighted_seconds(arrangement);
}

std::vector<CopyPrice> curve_of(const SharedContent& content, const WholeContent& whole,
                                uint64_t effort) {
  ArrangedBefore before;
  return price_curve(content, whole, effort, before);
}

SharedContent three_scenarios() {
  SharedContent content;
  content.costs = kNimbleDisk;
  content.weights = {1, 1, 1};
  content.has_own = {1, 1, 1};
  return content;
}

TEST(ArrangementCost, counts_jumps_gaps_and_packs) {
  SharedContent content = three_scenarios();
  content.has_own = {1, 0, 1};
  content.add_atom(10'240'000, std::vector<uint32_t>{0, 1});
  content.add_atom(129'024, std::vector<uint32_t>{1, 2});  // 2,048 bytes less than 32 pages
  content.add_atom(10'240'000, std::vector<uint32_t>{0, 1, 2});
  Arrangement all_in_common = plain_arrangement(content);
  ArrangementCost cost(content);
  const auto of = cost.seconds_by_scenario(all_in_common);
  const double padding_s = 2048 / 126e6;
  const double middle_s = 131'072 / 126e6;
  EXPECT_DOUBLE_EQ(of[0], 2 * 0.0065 + middle_s);            // two packs, and it is read through
  EXPECT_DOUBLE_EQ(of[1], 0.0065 + padding_s);               // one pack, all of it
  EXPECT_DOUBLE_EQ(of[2], 2 * 0.0065 + 0.0065 + padding_s);  // jumps over the first
  // If the first atom's readers have copies of it, it is no longer in the way.
  all_in_common.is_own[0] = all_in_common.is_own[1] = 1;
  const auto copied = cost.seconds_by_scenario(all_in_common);
  const double catalog_s = content.costs.read_s(2 * kCatalogBytesPerPlace);
  EXPECT_DOUBLE_EQ(copied[1], 2 * 0.0065 + padding_s + catalog_s);
  EXPECT_DOUBLE_EQ(copied[2], 2 * 0.0065 + padding_s + catalog_s);
  EXPECT_EQ(copied_bytes(content, all_in_common), 2 * 10'240'000U);
}

TEST(ArrangementCost, copies_cost_all_scenarios_their_part_of_the_catalog) {
  SharedContent content = three_scenarios();
  content.add_atom(10'240'000, std::vector<uint32_t>{0, 1}, {.assets = 30'000});
  Arrangement arrangement = plain_arrangement(content);
  ArrangementCost cost(content);
  const double shared_s = cost.weighted_seconds(arrangement);
  arrangement.is_own[0] = arrangement.is_own[1] = 1;
  const double catalog_s = content.costs.read_s(2 * kCatalogBytesPerPlace * 30'000);
  EXPECT_NEAR(cost.weighted_seconds(arrangement), shared_s - 2 * 0.0065 + 3 * catalog_s, 1e-12);
}

TEST(ArrangementCost, empty_assets_between_small_ones_change_nothing) {
  SharedContent without = three_scenarios();
  SharedContent with = three_scenarios();
  for (SharedContent* content : {&without, &with}) {
    content->add_atom(40'000, std::vector<uint32_t>{0, 1});
    if (content == &with) content->add_atom(0, std::vector<uint32_t>{0, 2});
    content->add_atom(10'000, std::vector<uint32_t>{0, 1});
  }
  ArrangementCost cost(without);
  ArrangementCost cost_with(with);
  const auto seconds = cost.seconds_by_scenario(plain_arrangement(without));
  const auto seconds_with = cost_with.seconds_by_scenario(plain_arrangement(with));
  EXPECT_GT(seconds[0], 0);
  for (size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(seconds_with[i], seconds[i]);
}

TEST(Arrange, a_copy_is_not_made_that_costs_more_of_the_catalog_than_it_saves) {
  for (const uint32_t assets : {30, 160'000}) {
    SharedContent content = three_scenarios();
    const AtomTraits traits = {.assets = assets};
    content.add_atom(30'000'000, std::vector<uint32_t>{0, 1}, traits);
    content.add_atom(1'000'000, std::vector<uint32_t>{0, 2}, traits);
    content.add_atom(30'000'000, std::vector<uint32_t>{1, 2}, traits);
    const Arrangement found = arrange(content, {.gain_s_per_gb = 0});
    EXPECT_EQ(copied_bytes(content, found) > 0, assets == 30);
  }
}

TEST(Arrange, order_without_copies_is_within_3_percent_of_the_optimum) {
  double sum = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const test::RandomInstance instance(seed);
    const double best = test::ExhaustiveSearch(instance.content, 0).least_seconds();
    const Arrangement found =
        arrange(instance.content, {.gain_s_per_gb = 0, .budget_bytes = 0, .effort = 1'000'000});
    const double ratio = seconds(instance.content, found) / best;
    EXPECT_GE(ratio, 1 - 1e-9) << seed;
    EXPECT_LE(ratio, 1.15) << seed;
    sum += ratio;
  }
  EXPECT_LE(sum / 60, 1.03);
}

TEST(Arrange, copies_are_the_optimum_nearly_always) {
  constexpr int kProblems = test::rounds(60);
  for (const double budget : {1.15, 1.4}) {
    int optimal = 0;
    for (uint64_t seed = 0; seed < kProblems; ++seed) {
      const test::RandomInstance instance(seed);
      const auto budget_bytes =
          static_cast<uint64_t>((budget - 1) * static_cast<double>(instance.content_bytes));
      const double best = test::ExhaustiveSearch(instance.content, budget_bytes).least_seconds();
      const Arrangement found =
          arrange(instance.content,
                  {.gain_s_per_gb = 0, .budget_bytes = budget_bytes, .effort = 1'000'000});
      EXPECT_LE(copied_bytes(instance.content, found), budget_bytes);
      EXPECT_GE(seconds(instance.content, found), best * (1 - 1e-9)) << seed;
      optimal += seconds(instance.content, found) <= best * (1 + 1e-9) ? 1 : 0;
    }
    EXPECT_GE(optimal, kProblems * 0.95) << budget;
  }
}

TEST(Arrange, a_copy_has_to_earn_its_price) {
  SharedContent content = three_scenarios();
  content.add_atom(30'000'000, std::vector<uint32_t>{0, 1});
  content.add_atom(1'000'000, std::vector<uint32_t>{0, 2});
  content.add_atom(30'000'000, std::vector<uint32_t>{1, 2});
  // The order 0-1, 0-2 and 1-2 costs somebody a jump of 6.5 ms. Avoiding it by a copy of 1 MB saves
  // 6.5 s a GB.
  const Arrangement cheap = arrange(content, {.gain_s_per_gb = 6});
  EXPECT_EQ(copied_bytes(content, cheap), 1'000'000U);
  const Arrangement dear = arrange(content, {.gain_s_per_gb = 30});
  EXPECT_EQ(copied_bytes(content, dear), 0U);
}

TEST(Arrange, what_updates_would_write_for_a_copy_counts_against_it) {
  for (const uint64_t rewritten_bytes : {0, 4'000'000}) {
    SharedContent content = three_scenarios();
    content.add_atom(30'000'000, std::vector<uint32_t>{0, 1});
    content.add_atom(1'000'000, std::vector<uint32_t>{0, 2}, {.rewritten_bytes = rewritten_bytes});
    content.add_atom(30'000'000, std::vector<uint32_t>{1, 2});
    const Arrangement found = arrange(content, {.gain_s_per_gb = 6});
    EXPECT_EQ(copied_bytes(content, found), rewritten_bytes == 0 ? 1'000'000U : 0U);
  }
}

TEST(Copies, a_budget_is_spent_well_however_many_scenarios_there_are) {
  SharedContent content;
  content.costs = kNimbleDisk;
  content.weights.assign(120, 1);
  content.has_own.assign(120, 1);
  // Each pair has a need, of 2 kB or 2 MB, that is a jump away from the first.
  for (uint32_t i = 0; i < 60; ++i)
    content.add_atom(i % 2 == 0 ? 2'000'000 : 2000, std::vector<uint32_t>{2 * i, 2 * i + 1});
  Arrangement arrangement = plain_arrangement(content);
  choose_copies_within(content, 0, 121'000, arrangement);
  for (uint32_t atom = 0; atom < 60; ++atom)
    EXPECT_EQ(arrangement.is_own[content.first_slot[atom]], atom % 2) << atom;
  EXPECT_LE(copied_bytes(content, arrangement), 121'000U);
}

TEST(Arrange, what_may_not_be_copied_is_not) {
  SharedContent content = three_scenarios();
  content.add_atom(1000, std::vector<uint32_t>{0, 1}, {.may_copy = false});
  content.add_atom(1000, std::vector<uint32_t>{0, 2}, {.may_copy = false});
  content.add_atom(1000, std::vector<uint32_t>{1, 2}, {.may_copy = false});
  EXPECT_EQ(copied_bytes(content, arrange(content, {.gain_s_per_gb = 0})), 0U);
}

TEST(Arrange, nothing_is_copied_where_jumps_cost_nothing) {
  test::RandomInstance instance(3);
  instance.content.costs = {.jump_s = 0, .bytes_per_s = 550e6};
  EXPECT_EQ(copied_bytes(instance.content, arrange(instance.content, {.gain_s_per_gb = 0})), 0U);
  EXPECT_EQ(curve_of(instance.content, {}, 100'000).size(), 1U);
}

TEST(Arrange, bears_nothing_at_all) {
  const SharedContent content = three_scenarios();
  EXPECT_TRUE(arrange(content, {}).order.empty());
}

TEST(Arrange, keeps_every_atom_once_in_any_size_of_content) {
  for (const uint32_t atoms : {3U, 40U, 1000U, 4000U}) {
    std::mt19937 random(atoms);
    SharedContent content;
    content.costs = kNimbleDisk;
    content.weights.assign(12, 1);
    content.has_own.assign(12, 1);
    for (uint32_t atom = 0; atom < atoms; ++atom) {
      std::vector<uint32_t> readers;
      while (readers.size() < 2) {
        readers.clear();
        for (uint32_t i = 0; i < 12; ++i)
          if (random() % 3 == 0) readers.push_back(i);
      }
      content.add_atom(1000 + random() % 2'000'000, readers);
    }
    const Arrangement found = arrange(content, {.effort = 1'000'000});
    std::vector<uint32_t> sorted = found.order;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, plain_arrangement(content).order);
    EXPECT_LE(seconds(content, found) + static_cast<double>(copied_bytes(content, found)) / 1e9,
              seconds(content, plain_arrangement(content)));
  }
}

TEST(PriceCurve, more_bytes_buy_fewer_seconds) {
  SharedContent content = three_scenarios();
  content.add_atom(30'000'000, std::vector<uint32_t>{0, 1});
  content.add_atom(1'000'000, std::vector<uint32_t>{0, 2});
  content.add_atom(30'000'000, std::vector<uint32_t>{1, 2});
  const std::vector<CopyPrice> curve =
      curve_of(content, {.bytes = 1'000'000, .recorded = content.scenario_count()}, 300'000);
  ASSERT_GE(curve.size(), 2U);
  EXPECT_EQ(curve.front().copied_bytes, 0U);
  for (size_t i = 1; i < curve.size(); ++i) {
    EXPECT_GT(curve[i].copied_bytes, curve[i - 1].copied_bytes);
    EXPECT_LT(curve[i].seconds, curve[i - 1].seconds);
  }
}

}  // namespace
}  // namespace seekless
