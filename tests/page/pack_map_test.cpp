#include "packer/page/internal/pack_map.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/extreme_figures.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto kPassed = StepUse::passed;
constexpr auto kNeeded = StepUse::needed;
constexpr auto kCopied = StepUse::copied;

PackReport pack(std::string kind, uint64_t bytes) {
  return {.name = kind + ".skl", .kind = std::move(kind), .file_bytes = bytes};
}

const std::vector<PackReport> kPacks = {pack("sub", 40), pack("cold", 50), pack("common", 10)};

PackMap map_of(const ScenarioReads& reads, const std::vector<PackReport>& packs = kPacks,
               size_t most_runs = 100) {
  return make_pack_map(std::vector{reads}, packs, 100, most_runs);
}

TEST(PacksInRow, lie_by_kind_and_then_as_they_come) {
  std::vector<PackReport> packs = kPacks;
  packs.push_back(pack("other", 7));
  packs.push_back(pack("sub", 3));
  const PacksInRow row = in_row(packs);
  EXPECT_THAT(row.order, ElementsAre(2, 0, 4, 1, 3));
  EXPECT_THAT(row.start_bytes, ElementsAre(10, 53, 0, 103, 50));
  EXPECT_EQ(row.total_bytes, 110U);
}

TEST(PacksInRow, have_a_place_however_large_they_are) {
  EXPECT_EQ(in_row({pack("sub", kMost), pack("sub", kMost)}).total_bytes, kMost);
}

TEST(PackMap, tells_what_is_needed_copied_and_only_passed) {
  const PackMap map = map_of({.name = "",
                              .read = {{2, 0, 10}, {0, 0, 30}},
                              .needed = {{2, 2, 10}, {0, 10, 20}},
                              .copied = {{0, 15, 20}}});
  ASSERT_THAT(map.rows, SizeIs(1));
  EXPECT_EQ(map.step_columns, 1);
  EXPECT_THAT(map.rows[0], ElementsAre(StepRun{0, 2, kPassed}, StepRun{2, 10, kNeeded},
                                       StepRun{10, 20, kPassed}, StepRun{20, 25, kNeeded},
                                       StepRun{25, 30, kCopied}, StepRun{30, 40, kPassed}));
}

TEST(PackMap, counts_what_is_needed_as_read) {
  EXPECT_THAT(map_of({.name = "", .read = {}, .needed = {{0, 0, 5}}, .copied = {}}).rows[0],
              ElementsAre(StepRun{10, 15, kNeeded}));
}

TEST(PackMap, gives_a_step_the_use_of_most_of_what_is_read_in_it) {
  const std::vector<PackReport> large = {pack("common", 10'000)};  // steps of 100 bytes
  EXPECT_THAT(map_of({.name = "",
                      .read = {{0, 0, 400}},
                      .needed = {{0, 0, 49}, {0, 100, 151}, {0, 200, 300}, {0, 399, 400}},
                      .copied = {{0, 200, 251}}},
                     large)
                  .rows[0],
              ElementsAre(StepRun{0, 1, kPassed}, StepRun{1, 2, kNeeded}, StepRun{2, 3, kCopied},
                          StepRun{3, 4, kPassed}));
}

TEST(PackMap, shows_the_smallest_read) {
  const std::vector<PackReport> large = {pack("common", 1'000'000'000)};
  EXPECT_THAT(
      map_of({.name = "", .read = {}, .needed = {{0, 999'000'000, 999'004'096}}, .copied = {}},
             large)
          .rows[0],
      ElementsAre(StepRun{99, 100, kNeeded}));
}

TEST(PackMap, takes_longer_steps_until_there_are_few_runs) {
  ScenarioReads reads;
  for (uint64_t i = 0; i < 50; ++i) reads.needed.push_back({1, i, i + i % 2});
  for (size_t most_runs : {25, 10, 3, 1}) {
    const PackMap map = map_of(reads, kPacks, most_runs);
    EXPECT_LE(map.rows[0].size(), most_runs);
    EXPECT_EQ(map.rows[0].back().end, 100) << "runs end with the picture, whatever the steps";
  }
  EXPECT_EQ(map_of(reads, kPacks, 25).step_columns, 1);
  EXPECT_EQ(map_of(reads, kPacks, 0).rows[0], std::vector{(StepRun{0, 100, kNeeded})});
}

TEST(PackMap, of_a_hundred_scenarios_keeps_to_its_runs) {
  std::vector<ScenarioReads> scenarios(100);
  const std::vector<PackReport> large = {pack("common", 1'000'000)};
  for (uint64_t i = 0; i < 100'000; ++i) {
    const uint64_t at = i * 7919 % 10'000 * 100;
    scenarios[i % 100].needed.push_back({0, at, at + 40});
  }
  const PackMap map = make_pack_map(scenarios, large, 1000, 1800);
  size_t count = 0;
  for (const auto& row : map.rows) count += row.size();
  EXPECT_LE(count, 1800U);
  EXPECT_GT(count, 99U);
}

TEST(PackMap, of_empty_packs_or_no_scenario_is_empty) {
  EXPECT_THAT(map_of({.name = "", .read = {{0, 0, 9}}, .needed = {}, .copied = {}}, {}).rows,
              ElementsAre(IsEmpty()));
  EXPECT_THAT(
      map_of({.name = "", .read = {{0, 0, 9}}, .needed = {}, .copied = {}}, {pack("sub", 0)}).rows,
      ElementsAre(IsEmpty()));
  EXPECT_THAT(make_pack_map({}, kPacks, 100, 100).rows, IsEmpty());
}

TEST(PackMap, draws_any_range_within_its_packs) {
  const ScenarioReads reads = {.name = "",
                               .read = {{0, 39, kMost}, {7, 0, 5}, {0, kMost, 3}, {0, 50, 60}},
                               .needed = {{1, kMost - 1, kMost}},
                               .copied = {{UINT32_MAX, 0, 1}}};
  EXPECT_THAT(map_of(reads).rows[0], ElementsAre(StepRun{49, 50, kPassed}));
}

TEST(PackUses, count_each_byte_once) {
  const std::vector<PackUse> uses = pack_uses({.name = "",
                                               .read = {{1, 0, 20}, {0, 0, 10}, {0, 5, 30}},
                                               .needed = {{0, 0, 8}, {0, 0, 8}, {0, 4, 12}},
                                               .copied = {{0, 0, 8}, {0, 0, 8}}},
                                              kPacks);
  ASSERT_THAT(uses, SizeIs(2));
  EXPECT_EQ(uses[0].pack, 0U);
  EXPECT_EQ(uses[0].read_bytes, 30U);
  EXPECT_EQ(uses[0].needed_bytes, 12U);
  EXPECT_EQ(uses[0].copied_bytes, 8U);
  EXPECT_EQ(uses[1].pack, 1U);
  EXPECT_EQ(uses[1].read_bytes, 20U);
  EXPECT_EQ(uses[1].needed_bytes, 0U);
}

}  // namespace
}  // namespace seekless
