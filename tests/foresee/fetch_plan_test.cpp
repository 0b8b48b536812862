#include "packer/foresee/fetch_plan.h"

#include <gmock/gmock.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kMib = 1 << 20;

Learned two_files() {
  Learned learned;
  learned.files = {"late", "early"};
  learned.places.resize(2);
  learned.places[0] = {"", 10 * kMib, 1, {{0, 500 * kMib, 10 * kMib}}, 0, 0};
  learned.places[1] = {"", 10 * kMib, 1, {{0, 100 * kMib, 10 * kMib}}, 0, 0};
  return learned;
}

TEST(FetchPlan, leaves_small_files_out_whose_places_are_unknown) {
  Learned learned = two_files();
  learned.places.assign(2, {});
  const std::vector<PageKey> pages = {page_key(0, 0), page_key(1, 1), page_key(1, 2)};
  EXPECT_EQ(plan_originals(learned, pages, 0, 2 * kSeenPageBytes).files, std::vector<uint32_t>{1});
  EXPECT_THAT(plan_originals(learned, pages, 0, 3 * kSeenPageBytes).chunks, IsEmpty());
  EXPECT_THAT(plan_originals(learned, pages, 0).files, SizeIs(2));
}

TEST(FetchPlan, originals_are_read_in_the_order_of_the_disk_and_gaps_read_through) {
  const FetchPlan plan = plan_originals(
      two_files(), {page_key(0, 4), page_key(1, 9), page_key(1, 3), page_key(1, 2000)}, 64 << 10);
  EXPECT_THAT(plan.chunks, ElementsAre(FetchChunk{1, 3 * kSeenPageBytes, 7 * kSeenPageBytes, 0},
                                       FetchChunk{1, 2000 * kSeenPageBytes, kSeenPageBytes, 0},
                                       FetchChunk{0, 4 * kSeenPageBytes, kSeenPageBytes, 0}));
  EXPECT_EQ(plan.pages.at(page_key(0, 4)).chunk, 2u);
  EXPECT_EQ(plan.pages.at(page_key(1, 9)).chunk, 0u);
  EXPECT_FALSE(plan.is_shadow);
}

TEST(FetchPlan, long_stretches_are_cut_so_that_a_read_can_slip_in_between) {
  std::vector<PageKey> pages;
  for (uint64_t page = 0; page < 600; ++page) pages.push_back(page_key(0, page));
  const FetchPlan plan = plan_originals(two_files(), pages, 0);
  EXPECT_THAT(plan.chunks, ElementsAre(FetchChunk{0, 0, kMib, 0}, FetchChunk{0, kMib, kMib, 0},
                                       FetchChunk{0, 2 * kMib, 88 * kSeenPageBytes, 0}));
  EXPECT_EQ(plan.pages.at(page_key(0, 256)).chunk, 1u);
}

TEST(FetchPlan, a_file_without_known_places_is_read_all_the_same) {
  Learned learned = two_files();
  learned.places.clear();
  EXPECT_THAT(plan_originals(learned, {page_key(1, 5)}, 0).chunks, SizeIs(1));
}

TEST(FetchPlan, files_without_known_places_come_last_by_their_numbers_in_the_system) {
  Learned learned = two_files();
  learned.files = {"z", "placed", "b", "a"};
  learned.places[0] = {};
  learned.numbers = {7, 0, 9};
  const FetchPlan plan =
      plan_originals(learned, {page_key(0, 1), page_key(1, 1), page_key(2, 1), page_key(3, 1)}, 0);
  std::vector<uint32_t> order;
  for (const FetchChunk& chunk : plan.chunks) order.push_back(chunk.file);
  EXPECT_THAT(order, ElementsAre(1, 3, 0, 2));
}

TEST(FetchPlan, a_section_of_the_shadow_is_read_as_it_lies) {
  ShadowSection section = {0, 8 * kMib, {}, {41, 42}};
  for (uint64_t page = 300; page > 0; --page) section.pages.push_back(page_key(0, page));
  const FetchPlan plan = plan_shadow(section);
  EXPECT_THAT(plan.chunks, ElementsAre(FetchChunk{kShadowFile, 8 * kMib, kMib, 41},
                                       FetchChunk{kShadowFile, 9 * kMib, 44 * kSeenPageBytes, 42}));
  EXPECT_EQ(plan.pages.at(page_key(0, 300)).shadow_bytes, 8 * kMib);
  EXPECT_EQ(plan.pages.at(page_key(0, 1)).chunk, 1u);
}

TEST(FetchPlan, the_shadow_is_taken_where_it_has_the_scenario) {
  Learned learned = two_files();
  learned.scenarios = {{"one", 1, true, {{page_key(0, 1), 1}}}};
  learned.shadow = {"s", {{}, {}}, {{kCore, 0, {page_key(0, 1)}, {5}}}};
  EXPECT_TRUE(plan_for(learned, kCore, true, 0).is_shadow);
  EXPECT_FALSE(plan_for(learned, kCore, false, 0).is_shadow);
  EXPECT_THAT(plan_for(learned, kCore, false, 0).chunks, SizeIs(1));
  EXPECT_THAT(plan_for(learned, 0, true, 0).chunks, SizeIs(0));  // all of it is core
  learned.names = {{"/"}};
  learned.scenarios[0].names = {{0, 1}};
  EXPECT_THAT(plan_for(learned, kCore, true, 0).names, SizeIs(1));
}

}  // namespace
}  // namespace seekless
