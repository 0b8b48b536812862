#include "packer/foresee/swept_pages.h"

#include <gmock/gmock.h>

namespace seekless {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr uint32_t kRuns = 4;

LearnedScenario start(std::vector<SeenPage> pages, uint32_t runs = kRuns) {
  return {.name = "start", .runs = runs, .is_start = true, .pages = std::move(pages)};
}

Learned of(std::vector<LearnedScenario> scenarios) {
  Learned learned;
  learned.files = {"archive", "other"};
  learned.scenarios = std::move(scenarios);
  return learned;
}

TEST(SweptPages, what_lies_between_is_read_along_where_a_run_jumped_there) {
  const Learned learned = of({start({{14, kRuns}, {10, kRuns}, {12, 1}})});
  EXPECT_THAT(swept_core(learned), ElementsAre(14, 10, 11, 12, 13));
}

TEST(SweptPages, where_all_runs_are_alike_they_are_all_that_is_swept) {
  EXPECT_THAT(swept_core(of({start({{14, kRuns}, {10, kRuns}})})), ElementsAre(14, 10));
  EXPECT_THAT(swept_core(of({start({{14, 1}, {10, 1}}, 1)})), ElementsAre(14, 10));
  EXPECT_THAT(swept_core(Learned{}), IsEmpty());
}

TEST(SweptPages, of_two_runs_each_surprises_the_other) {
  const Learned learned = of({start({{10, 2}, {14, 2}, {12, 1}}, 2)});
  EXPECT_THAT(swept_core(learned), ElementsAre(10, 11, 13, 14, 12));
}

TEST(SweptPages, a_gap_that_takes_longer_than_it_saves_isnt_read_along) {
  // A seek is as long as 256 pages, and one of four runs made one.
  EXPECT_THAT(swept_core(of({start({{10, kRuns}, {20, 1}, {10 + 64, kRuns}})})), SizeIs(64 + 1));
  EXPECT_THAT(swept_core(of({start({{10, kRuns}, {20, 1}, {10 + 66, kRuns}})})), SizeIs(2));
}

TEST(SweptPages, gaps_of_another_part_of_the_file_are_judged_by_themselves) {
  const uint64_t far = 100'000;
  const Learned learned =
      of({start({{10, kRuns}, {12, 1}, {14, kRuns}, {far, kRuns}, {far + 4, kRuns}})});
  EXPECT_THAT(swept_core(learned), Contains(13));
  EXPECT_THAT(swept_core(learned), Not(Contains(far + 1)));
}

TEST(SweptPages, files_have_no_gap_between_them) {
  const PageKey other = page_key(1, 0);
  EXPECT_THAT(swept_core(of({start({{10, kRuns}, {12, 1}, {other, kRuns}})})),
              ElementsAre(10, other));
}

TEST(SweptPages, a_scenario_s_own_are_those_that_the_core_doesnt_bring) {
  const Learned learned = of({start({{10, kRuns}, {12, 1}, {14, kRuns}, {500, kRuns}}),
                              start({{10, 1}, {14, 1}, {12, 1}, {900, 1}}, 1)});
  EXPECT_THAT(swept_core(learned), ElementsAre(10, 11, 12, 13, 14));
  EXPECT_THAT(swept_own(learned.scenarios[0], swept_core(learned)), ElementsAre(500));
  EXPECT_THAT(swept_own(learned.scenarios[1], swept_core(learned)), ElementsAre(900));
}

}  // namespace
}  // namespace seekless
