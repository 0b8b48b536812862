#include "packer/entries/archive_order.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/entries/internal/read_time.h"
#include "packer/plan/internal/random_choice.h"
#include "tests/host/sizes.h"
#include "tests/rounds.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using Order = std::vector<uint32_t>;

DriveProfile disk() {
  return builtin_profiles().front();
}

ArchiveReads archive_of(const std::vector<uint64_t>& sizes) {
  ArchiveReads reads;
  uint64_t at = 0;
  for (uint32_t i = 0; i < sizes.size(); ++i) {
    reads.entries.push_back({.number = i,
                             .old_offset_bytes = at,
                             .header_bytes = 40,
                             .data_bytes = sizes[i],
                             .readers = {}});
    at += 40 + sizes[i];
  }
  return reads;
}

void add_run(ArchiveReads& reads, uint32_t scenario, const Order& entries) {
  reads.runs.push_back({scenario, 1, entries});
  for (const uint32_t entry : entries)
    if (entry != kElsewhere) reads.entries[entry].readers.push_back(scenario);
}

double seconds(const ArchiveReads& reads, const Order& order) {
  return ReadTime(disk(), reads, DataAlignment{.bytes = 1}).weighted_seconds(order);
}

double least_seconds(const ArchiveReads& reads) {
  Order order(reads.entries.size());
  std::iota(order.begin(), order.end(), 0);
  double least = seconds(reads, order);
  while (std::ranges::next_permutation(order).found) least = std::min(least, seconds(reads, order));
  return least;
}

Order ordered(const ArchiveReads& reads) {
  return order_archive(reads, {.drive = disk(), .alignment = {.bytes = 1}});
}

TEST(ArchiveOrder, one_run_is_read_in_its_order) {
  ArchiveReads reads = archive_of({3000 * kKiB, 2000 * kKiB, 1000 * kKiB, 4000 * kKiB});
  add_run(reads, 0, {2, 0, 3, 1});
  EXPECT_THAT(ordered(reads), ElementsAre(2, 0, 3, 1));
}

TEST(ArchiveOrder, the_old_order_stays_where_none_is_faster) {
  ArchiveReads reads = archive_of({100, 200, 300, 400});  // all of them in one page
  add_run(reads, 0, {3, 1, 0, 2});
  EXPECT_THAT(ordered(reads), ElementsAre(0, 1, 2, 3));
}

TEST(ArchiveOrder, what_one_load_alone_reads_does_not_lie_in_the_way_of_others) {
  constexpr uint64_t kLarge = 2000 * kKiB;
  ArchiveReads reads = archive_of({kLarge, kLarge, kLarge, kLarge, kLarge});
  add_run(reads, 0, {0, 3, 2});
  add_run(reads, 1, {0, 4, 2});
  for (uint32_t scenario = 2; scenario < 5; ++scenario) add_run(reads, scenario, {0, 2});
  const Order order = ordered(reads);
  const auto place = [&](uint32_t entry) { return std::ranges::find(order, entry); };
  EXPECT_EQ(place(2) - place(0), 1);
}

TEST(ArchiveOrder, small_entries_read_between_other_archives_lie_together) {
  // Small and large entries alternate. The small ones are read one by one, between reads of others.
  std::vector<uint64_t> sizes;
  Order run;
  for (uint32_t i = 0; i < 8; ++i) {
    sizes.insert(sizes.end(), {500, 900 * kKiB});
    run.insert(run.end(), {2 * i, kElsewhere});
  }
  for (uint32_t i = 0; i < 8; ++i) run.push_back(2 * i + 1);
  ArchiveReads reads = archive_of(sizes);
  add_run(reads, 0, run);
  Order old(sizes.size());
  std::iota(old.begin(), old.end(), 0);
  EXPECT_LT(seconds(reads, ordered(reads)), 0.7 * seconds(reads, old));
}

// For made-up runs with few entries, every order is tried.
TEST(ArchiveOrder, comes_near_to_the_best_of_all_orders) {
  RandomChoice choice(7);
  uint32_t at_best = 0;
  constexpr uint32_t kProblems = test::rounds(30U);
  for (uint32_t problem = 0; problem < kProblems; ++problem) {
    std::vector<uint64_t> sizes;
    for (int i = 0; i < 6; ++i)
      sizes.push_back(choice.below(3) == 0 ? choice.below(3000 * kKiB) : choice.below(60 * kKiB));
    ArchiveReads reads = archive_of(sizes);
    for (uint32_t scenario = 0; scenario < 2; ++scenario) {
      Order run;
      Order all(sizes.size());
      std::iota(all.begin(), all.end(), 0);
      choice.shuffle(all);
      for (const uint32_t entry : all) {
        if (choice.below(4) == 0) continue;
        run.push_back(entry);
        if (choice.below(3) == 0) run.push_back(kElsewhere);
      }
      if (!run.empty()) add_run(reads, scenario, run);
    }
    const double found = seconds(reads, ordered(reads));
    const double least = least_seconds(reads);
    EXPECT_LE(found, 1.15 * least) << "problem " << problem;
    if (found <= 1.01 * least) ++at_best;
  }
  EXPECT_GE(at_best, kProblems * 2 / 3);
}

TEST(ArchiveOrder, is_never_slower_than_the_old_order) {
  RandomChoice choice(11);
  for (int problem = 0; problem < 5; ++problem) {
    std::vector<uint64_t> sizes;
    for (int i = 0; i < 60; ++i) sizes.push_back(choice.below(200 * kKiB));
    ArchiveReads reads = archive_of(sizes);
    Order run(sizes.size());
    std::iota(run.begin(), run.end(), 0);
    const Order old = run;
    for (uint32_t scenario = 0; scenario < 3; ++scenario) {
      choice.shuffle(run);
      add_run(reads, scenario, {run.begin(), run.begin() + 40});
    }
    EXPECT_LE(seconds(reads, ordered(reads)), 1.02 * seconds(reads, old));
  }
}

TEST(ArchiveOrder, holds_each_entry_once_and_is_the_same_again) {
  ArchiveReads reads = archive_of(std::vector<uint64_t>(40, 30 * kKiB));
  add_run(reads, 0, {5, 30, kElsewhere, 7, 39, 0});
  add_run(reads, 1, {39, 5, 7, kElsewhere, 12});
  Order order = ordered(reads);
  EXPECT_EQ(order, ordered(reads));
  std::ranges::sort(order);
  Order all(40);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

TEST(ArchiveOrder, nothing_read_is_no_order) {
  EXPECT_TRUE(ordered({}).empty());
}

TEST(ReadTime, a_jump_costs_what_it_does_on_average) {
  ArchiveReads reads = archive_of({100, 900 * kKiB, 100});
  add_run(reads, 0, {0, kElsewhere, 2});
  EXPECT_GT(seconds(reads, {0, 1, 2}), 1.8 * seconds(reads, {0, 2, 1}));
}

TEST(ReadTime, weights_multiply) {
  ArchiveReads reads = archive_of({5000, 70000});
  add_run(reads, 0, {1, 0});
  const double once = seconds(reads, {0, 1});
  reads.runs[0].weight = 3;
  EXPECT_NEAR(seconds(reads, {0, 1}), 3 * once, 1e-9);
  reads.runs[0].weight = 0;
  EXPECT_EQ(seconds(reads, {0, 1}), 0);
}

}  // namespace
}  // namespace seekless
