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

std::vector<PageKey> core_from_originals(const Learned& learned) {
  return swept_core(learned, SweptFrom::kOriginals);
}

std::vector<PageKey> core_from_copies(const Learned& learned) {
  return swept_core(learned, SweptFrom::kCopies);
}

TEST(SweptPages, what_lies_between_is_read_along_where_a_run_jumped_there) {
  const Learned learned = of({start({{14, kRuns}, {10, kRuns}, {12, 1}})});
  EXPECT_THAT(core_from_originals(learned), ElementsAre(14, 10, 11, 12, 13));
}

TEST(SweptPages, where_all_runs_are_alike_they_are_all_that_is_swept) {
  EXPECT_THAT(core_from_originals(of({start({{14, kRuns}, {10, kRuns}})})), ElementsAre(14, 10));
  EXPECT_THAT(core_from_originals(of({start({{14, 1}, {10, 1}}, 1)})), ElementsAre(14, 10));
  EXPECT_THAT(core_from_originals(Learned{}), IsEmpty());
}

TEST(SweptPages, of_two_runs_each_surprises_the_other) {
  const Learned learned = of({start({{10, 2}, {14, 2}, {12, 1}}, 2)});
  EXPECT_THAT(core_from_originals(learned), ElementsAre(10, 11, 13, 14, 12));
}

TEST(SweptPages, a_gap_that_takes_longer_than_it_saves_isnt_read_along) {
  // A seek takes as long as 256 pages, and one of four runs made one.
  EXPECT_THAT(core_from_originals(of({start({{10, kRuns}, {20, 1}, {10 + 64, kRuns}})})),
              SizeIs(64 + 1));
  EXPECT_THAT(core_from_originals(of({start({{10, kRuns}, {20, 1}, {10 + 66, kRuns}})})),
              SizeIs(2));
}

TEST(SweptPages, gaps_of_another_part_of_the_file_are_judged_by_themselves) {
  const uint64_t far = 100'000;
  const Learned learned =
      of({start({{10, kRuns}, {12, 1}, {14, kRuns}, {far, kRuns}, {far + 4, kRuns}})});
  EXPECT_THAT(core_from_originals(learned), Contains(13));
  EXPECT_THAT(core_from_originals(learned), Not(Contains(far + 1)));
}

TEST(SweptPages, files_have_no_gap_between_them) {
  const PageKey other = page_key(1, 0);
  EXPECT_THAT(core_from_originals(of({start({{10, kRuns}, {12, 1}, {other, kRuns}})})),
              ElementsAre(10, other));
}

TEST(SweptPages, a_scenario_s_own_are_those_that_the_core_doesnt_bring) {
  const Learned learned = of({start({{10, kRuns}, {12, 1}, {14, kRuns}, {500, kRuns}}),
                              start({{10, 1}, {14, 1}, {12, 1}, {900, 1}}, 1)});
  const std::vector<PageKey> core = core_from_originals(learned);
  EXPECT_THAT(core, ElementsAre(10, 11, 12, 13, 14));
  EXPECT_THAT(swept_own(learned.scenarios[0], core, SweptFrom::kOriginals), ElementsAre(500));
  EXPECT_THAT(swept_own(learned.scenarios[1], core, SweptFrom::kOriginals), ElementsAre(900));
}

// Makes `count` pages far from all others, which one of four runs reads.
std::vector<SeenPage> with_rare(uint64_t count) {
  std::vector<SeenPage> pages = {{10, kRuns}};
  for (uint64_t i = 0; i < count; ++i) pages.push_back({100'000 + 2 * i, 1});
  return pages;
}

TEST(SweptPages, rare_pages_are_swept_from_copies_if_that_is_cheaper_than_jumping_there) {
  // A jump takes as long as 384 pages; three of four runs read them in vain.
  EXPECT_THAT(core_from_copies(of({start(with_rare(127))})), SizeIs(1 + 127));
  EXPECT_THAT(core_from_copies(of({start(with_rare(128))})), SizeIs(1));
  EXPECT_THAT(core_from_originals(of({start(with_rare(2))})), ElementsAre(10));
}

TEST(SweptPages, a_rare_page_comes_behind_the_likely_one_before_it_and_once) {
  const Learned learned = of({start({{1000, kRuns},
                                     {10, kRuns},
                                     {2000, kRuns},
                                     {12, 1},
                                     {14, kRuns},
                                     {500, 1},
                                     {510, 1},
                                     {5, 1}})});
  EXPECT_THAT(core_from_copies(learned), ElementsAre(1000, 10, 11, 12, 13, 2000, 14, 500, 510));
}

TEST(SweptPages, what_only_one_scenario_reads_now_and_then_is_its_own) {
  const Learned learned = of({start({{10, kRuns}, {500, kRuns}, {600, 1}}), start({{10, kRuns}})});
  const std::vector<PageKey> core = core_from_copies(learned);
  EXPECT_THAT(core, ElementsAre(10));
  EXPECT_THAT(swept_own(learned.scenarios[0], core, SweptFrom::kCopies), ElementsAre(500, 600));
}

}  // namespace
}  // namespace seekless
