#include "packer/foresee/laid_out.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;
constexpr uint64_t kPagesOfMegabyte = kMegabyte / kSeenPageBytes;
constexpr uint64_t kGapBytes = kMegabyte / 2;

// Makes thirty pages of a file, `apart` pages from one another, that each of `runs` reads.
Learned of_pieces(uint64_t apart, uint32_t runs) {
  Learned learned;
  learned.files = {"archive"};
  learned.places = {{"", 1000 * kMegabyte, 1, {{0, 500 * kMegabyte, 1000 * kMegabyte}}, 0, 0}};
  LearnedScenario scenario = {.name = "start", .runs = runs, .is_start = true, .pages = {}};
  for (uint64_t i = 0; i < 30; ++i) scenario.pages.push_back({page_key(0, i * apart), runs});
  learned.scenarios.push_back(scenario);
  return learned;
}

Learned with_shadow(Learned learned, size_t pages) {
  ShadowSection section = {.scenario = kCore, .pages = {}, .hashes = {}};
  for (size_t i = 0; i < pages; ++i) section.pages.push_back(learned.scenarios[0].pages[i].page);
  learned.shadow = {"shadow", {{1, 2, 3, 4}}, {section}};
  return learned;
}

TEST(LaidOut, counts_what_the_shadow_has_of_what_is_likely_to_be_read) {
  const Learned learned = with_shadow(of_pieces(2, 3), 27);
  EXPECT_EQ(laid_out(learned).likely_bytes, 30 * kSeenPageBytes);
  EXPECT_EQ(laid_out(learned, 0).laid_out_bytes, 27 * kSeenPageBytes);
  EXPECT_TRUE(laid_out(learned).is_nearly_all());
  EXPECT_EQ(shadow_bytes(learned), 27 * kSeenPageBytes);
  EXPECT_FALSE(laid_out(with_shadow(of_pieces(2, 3), 26)).is_nearly_all());
  EXPECT_FALSE(laid_out(Learned{}).is_nearly_all());
}

TEST(LaidOut, copies_of_a_file_that_changed_are_none) {
  Learned learned = with_shadow(of_pieces(2, 3), 30);
  learned.shadow.stamps[0] = {};
  EXPECT_EQ(laid_out(learned).laid_out_bytes, 0u);
}

TEST(LaidOut, sections_of_other_scenarios_dont_count) {
  Learned learned = with_shadow(of_pieces(2, 3), 30);
  learned.scenarios.push_back(learned.scenarios[0]);
  learned.shadow.sections[0].scenario = 1;
  EXPECT_EQ(laid_out(learned, 0).laid_out_bytes, 0u);
  EXPECT_EQ(laid_out(learned, 1).laid_out_bytes, 30 * kSeenPageBytes);
}

TEST(LaidOut, saves_a_jump_for_each_piece_but_the_first) {
  EXPECT_DOUBLE_EQ(saved_by_laying_out_s(of_pieces(kPagesOfMegabyte, 2), kGapBytes), 0.29);
  // These pages are so near that they are read in one go.
  EXPECT_EQ(saved_by_laying_out_s(of_pieces(kPagesOfMegabyte / 4, 2), kGapBytes), 0);
}

TEST(LaidOut, promises_nothing_of_one_run_nor_of_what_is_laid_out) {
  EXPECT_EQ(saved_by_laying_out_s(of_pieces(kPagesOfMegabyte, 1), kGapBytes), 0);
  EXPECT_EQ(saved_by_laying_out_s(with_shadow(of_pieces(kPagesOfMegabyte, 2), 30), kGapBytes), 0);
  EXPECT_EQ(saved_by_laying_out_s(Learned{}, kGapBytes), 0);
}

TEST(LaidOut, what_lies_nobody_knows_where_is_jumped_to) {
  Learned learned = of_pieces(kPagesOfMegabyte, 2);
  learned.places.clear();
  EXPECT_DOUBLE_EQ(saved_by_laying_out_s(learned, kGapBytes), 0.29);
}

}  // namespace
}  // namespace seekless
