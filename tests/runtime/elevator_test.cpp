#include "runtime/elevator.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless::runtime {
namespace {

using testing::ElementsAre;

constexpr uint64_t kKib = 1024;
constexpr uint64_t kMib = 1024 * kKib;
constexpr uint64_t kMs = 1000;
constexpr int32_t kUrgent = 100;
constexpr int32_t kStream = -50;
constexpr int32_t kPrefetch = -100;

// An elevator that is told things in few words.
struct Told {
  explicit Told(const ElevatorOptions& options = {}) : elevator(options) {}

  void want(uint64_t id, uint64_t place, uint64_t length = 4 * kKib, int32_t priority = 0) {
    elevator.add({.id = id,
                  .file = 1,
                  .place_bytes = place,
                  .length_bytes = length,
                  .priority = priority,
                  .asked_us = now_us});
  }
  Pick pick() {
    Pick got;
    EXPECT_TRUE(elevator.next(now_us, got));
    return got;
  }
  // The ids of the parts of the next pick.
  std::vector<uint64_t> ids() {
    std::vector<uint64_t> of_parts;
    for (const PickedPart& part : pick().parts) of_parts.push_back(part.id);
    return of_parts;
  }
  std::vector<uint64_t> all() {
    std::vector<uint64_t> order;
    while (!elevator.empty())
      for (const uint64_t id : ids()) order.push_back(id);
    return order;
  }

  Elevator elevator;
  uint64_t now_us = 1'000'000;
};

TEST(Elevator, serves_by_place_whatever_the_order_of_asking) {
  Told told;
  told.want(1, 500 * kMib);
  told.want(2, 100 * kMib);
  told.want(3, 900 * kMib);
  told.want(4, 300 * kMib);
  EXPECT_THAT(told.all(), ElementsAre(2, 4, 1, 3));
}

TEST(Elevator, goes_on_from_where_it_is_and_round) {
  Told told;
  told.want(1, 500 * kMib);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.want(2, 100 * kMib);
  told.want(3, 700 * kMib);
  told.want(4, 600 * kMib);
  EXPECT_THAT(told.all(), ElementsAre(4, 3, 2));
}

TEST(Elevator, joins_neighbours_into_one_read) {
  Told told;
  told.want(1, 0, 4 * kKib);
  told.want(2, 4 * kKib, 8 * kKib);
  told.want(3, 12 * kKib, 1);
  const Pick pick = told.pick();
  EXPECT_EQ(pick.parts.size(), 3U);
  EXPECT_EQ(pick.length_bytes, 12 * kKib + 1);
  EXPECT_EQ(pick.gap_bytes, 0U);
}

TEST(Elevator, reads_gaps_through_up_to_the_break_even) {
  Told told;
  told.want(1, 0, kKib);
  told.want(2, kKib + kMib, kKib);
  told.want(3, 2 * kKib + 2 * kMib + 1, kKib);
  const Pick pick = told.pick();
  EXPECT_EQ(pick.parts.size(), 2U);
  EXPECT_EQ(pick.gap_bytes, kMib);
  EXPECT_THAT(told.ids(), ElementsAre(3));
}

TEST(Elevator, joins_nothing_across_files) {
  Told told;
  told.want(1, 0);
  told.elevator.add({.id = 2, .file = 2, .place_bytes = 4 * kKib, .length_bytes = 4 * kKib});
  EXPECT_THAT(told.ids(), ElementsAre(1));
  EXPECT_THAT(told.ids(), ElementsAre(2));
}

TEST(Elevator, cuts_long_requests_so_that_urgent_ones_come_between) {
  Told told;
  told.want(1, 0, 9 * kMib);
  EXPECT_EQ(told.pick().length_bytes, 4 * kMib);
  told.want(2, 500 * kMib, kKib, kUrgent);
  EXPECT_THAT(told.ids(), ElementsAre(2));
  const Pick second = told.pick();
  EXPECT_EQ(second.place_bytes, 4 * kMib);
  EXPECT_EQ(second.length_bytes, 4 * kMib);
  EXPECT_EQ(told.pick().length_bytes, kMib);
  EXPECT_TRUE(told.elevator.empty());
}

TEST(Elevator, whole_requests_are_neither_cut_nor_joined) {
  Told told;
  told.elevator.add({.id = 1, .file = 1, .length_bytes = 9 * kMib, .is_whole = true});
  told.want(2, 9 * kMib);
  const Pick pick = told.pick();
  EXPECT_EQ(pick.length_bytes, 9 * kMib);
  EXPECT_EQ(pick.parts.size(), 1U);
}

TEST(Elevator, overlapping_requests_are_each_served_one_behind_the_other) {
  Told told;
  told.want(1, 0, 100 * kKib);
  told.want(2, 0, 100 * kKib);
  told.want(3, 50 * kKib, 100 * kKib);
  told.want(4, 500 * kMib);
  std::set<uint64_t> first;
  for (int i = 0; i < 3; ++i)
    for (const uint64_t id : told.ids()) first.insert(id);
  EXPECT_THAT(first, ElementsAre(1, 2, 3));
  EXPECT_THAT(told.ids(), ElementsAre(4));
}

TEST(Elevator, urgent_ones_go_first_and_the_pass_goes_on_where_it_was) {
  Told told;
  for (uint64_t i = 0; i < 4; ++i) told.want(1 + i, i * 100 * kMib);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.want(9, 350 * kMib, kKib, kUrgent);
  const Pick urgent = told.pick();
  EXPECT_EQ(urgent.parts.front().id, 9U);
  EXPECT_TRUE(urgent.is_bypass);
  EXPECT_THAT(told.all(), ElementsAre(2, 3, 4));
}

TEST(Elevator, a_deadline_makes_a_request_urgent_shortly_before) {
  Told told;
  told.want(1, 0);
  told.elevator.add({.id = 2,
                     .file = 1,
                     .place_bytes = 900 * kMib,
                     .length_bytes = kKib,
                     .asked_us = told.now_us,
                     .deadline_us = told.now_us + 100 * kMs});
  told.want(3, 100 * kMib);
  told.want(4, 200 * kMib);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.now_us += 49 * kMs;
  EXPECT_THAT(told.ids(), ElementsAre(3));
  told.now_us += 1 * kMs;
  EXPECT_THAT(told.ids(), ElementsAre(2));
  EXPECT_THAT(told.ids(), ElementsAre(4));
}

TEST(Elevator, urgent_ones_in_the_way_cost_nothing) {
  Told told({.bypasses_per_second = 0});
  told.want(1, 0, kMib);
  told.want(2, 900 * kMib);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.want(3, kMib + kKib, kKib, kUrgent);
  const Pick pick = told.pick();
  EXPECT_EQ(pick.parts.front().id, 3U);
  EXPECT_FALSE(pick.is_bypass);
}

// A sweep goes on while urgent requests come ten times as often as they may cost seeks.
TEST(Elevator, urgent_requests_cost_no_more_seeks_than_allowed) {
  Told told({.bypasses_per_second = 20});
  uint64_t sweep_place = 0;
  uint64_t seeks = 0;
  uint64_t picks_of_sweep = 0;
  told.want(1, 0, 4 * kMib);
  constexpr int kSeconds = 20;
  std::mt19937_64 random(1);
  uint64_t id = 100;
  for (int step = 0; step < kSeconds * 100; ++step) {
    told.now_us += 10 * kMs;
    told.want(id++, (1 + random() % 1000) * 1000 * kMib, kKib, kUrgent);
    told.want(id++, (1 + random() % 1000) * 1000 * kMib, kKib, kUrgent);
    const Pick pick = told.pick();
    if (pick.is_bypass) seeks += 1;
    if (pick.parts.front().id < 100) {
      ++picks_of_sweep;
      sweep_place += 4 * kMib;
      told.want(1, sweep_place, 4 * kMib);
    }
  }
  EXPECT_LE(seeks, 20U * (kSeconds + 1));
  EXPECT_GE(seeks, 10U * (kSeconds - 1)) << "what is allowed is used";
  EXPECT_GT(picks_of_sweep, 0U);
}

TEST(Elevator, on_solid_media_urgent_ones_always_go_first) {
  Told told({.seeks_cost = false, .bypasses_per_second = 0});
  told.want(1, 0);
  for (uint64_t i = 0; i < 100; ++i) told.want(100 + i, (900 - i) * kMib, kKib, kUrgent);
  const std::vector<uint64_t> order = told.all();
  EXPECT_EQ(std::ranges::find(order, 1) - order.begin(), 100);
}

TEST(Elevator, background_waits_for_all_others) {
  Told told;
  told.want(1, 0, kKib, kPrefetch);
  told.want(2, 100 * kMib, kKib, kStream);
  told.want(3, 200 * kMib, kKib);
  EXPECT_THAT(told.all(), ElementsAre(3, 2, 1));
}

TEST(Elevator, background_in_the_way_is_taken_along) {
  Told told;
  told.want(1, 0, kKib);
  told.want(2, kKib, kKib, kPrefetch);
  EXPECT_THAT(told.ids(), ElementsAre(1, 2));
}

TEST(Elevator, background_is_served_in_time_under_load) {
  Told told;
  uint64_t id = 100;
  told.want(1, 500 * kMib, 20 * kMib, kStream);
  told.want(2, 600 * kMib, 20 * kMib, kPrefetch);
  std::map<uint64_t, uint64_t> first_us;
  for (int step = 0; step < 3000; ++step) {
    told.now_us += 5 * kMs;
    told.want(id, (id % 7) * 1000 * kMib);
    ++id;
    const uint64_t got = told.pick().parts.front().id;
    if (got < 100) first_us.try_emplace(got, told.now_us - 1'000'000);
  }
  ASSERT_TRUE(first_us.contains(1));
  ASSERT_TRUE(first_us.contains(2));
  EXPECT_LT(first_us.at(1), 2'500 * kMs);
  EXPECT_LT(first_us.at(2), 12'000 * kMs);
}

TEST(Elevator, newcomers_ahead_cannot_starve_who_is_behind) {
  Told told;
  told.want(1, 1000 * kMib);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.want(10, 1001 * kMib);
  told.want(2, 0);  // behind
  uint64_t id = 11;
  uint64_t place = 1005 * kMib;
  uint64_t waited_us = 0;
  for (; waited_us < 10'000 * kMs; waited_us += 10 * kMs) {
    told.now_us += 10 * kMs;
    told.want(id++, place += 5 * kMib, 4 * kMib);  // a sweep without end
    if (told.pick().parts.front().id == 2) break;
  }
  EXPECT_LT(waited_us, 1'100 * kMs);
}

TEST(Elevator, says_what_follows_without_a_seek) {
  Told told;
  told.want(1, 0, 4 * kMib);
  told.want(2, 4 * kMib, 6 * kMib);
  told.want(3, 500 * kMib);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  const auto following = told.elevator.following();
  ASSERT_TRUE(following);
  EXPECT_EQ(following->id, 2U);
  EXPECT_EQ(following->length_bytes, 4 * kMib);
  told.pick();
  told.pick();
  EXPECT_FALSE(told.elevator.following());
}

TEST(Elevator, what_is_removed_is_not_served) {
  Told told;
  told.want(1, 0, 9 * kMib);
  told.want(2, 100 * kMib, kKib, kUrgent);
  told.want(3, 200 * kMib, kKib, kStream);
  EXPECT_TRUE(told.elevator.remove(2));
  EXPECT_FALSE(told.elevator.remove(2));
  EXPECT_TRUE(told.elevator.remove(3));
  EXPECT_THAT(told.ids(), ElementsAre(1));
  EXPECT_TRUE(told.elevator.remove(1));
  EXPECT_TRUE(told.elevator.empty());
  Pick pick;
  EXPECT_FALSE(told.elevator.next(told.now_us, pick));
}

TEST(Elevator, reading_by_place_takes_fewer_seeks_than_by_arrival) {
  Told told;
  std::mt19937_64 random(3);
  for (uint64_t id = 1; id <= 500; ++id) told.want(id, random() % 2000 * kMib, 64 * kKib);
  uint64_t travelled = 0;
  uint64_t at = 0;
  while (!told.elevator.empty()) {
    const Pick pick = told.pick();
    travelled += pick.place_bytes > at ? pick.place_bytes - at : at - pick.place_bytes;
    at = pick.place_bytes;
  }
  EXPECT_LE(travelled, 2000 * kMib);  // by arrival: some 660 GiB
}

// Whatever comes, in whatever order: each byte of each wish is picked once, nothing else is, parts
// rise within their pick, and nobody waits without end.
TEST(Elevator, serves_everything_once_whatever_comes) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const ElevatorOptions options = {.most_read_bytes = (1 + random() % 64) * 16 * kKib,
                                     .gap_bytes = random() % 3 * 32 * kKib,
                                     .most_parts = 1 + random() % 8,
                                     .seeks_cost = random() % 2 == 0,
                                     .bypasses_per_second = static_cast<uint32_t>(random() % 60)};
    Told told(options);
    std::map<uint64_t, Wish> left;
    std::map<uint64_t, uint64_t> asked_us;
    uint64_t longest_wait_us = 0;
    uint64_t id = 1;
    const auto take = [&] {
      Pick pick;
      ASSERT_TRUE(told.elevator.next(told.now_us, pick));
      ASSERT_FALSE(pick.parts.empty());
      ASSERT_LE(pick.parts.size(), options.most_parts);
      uint64_t end = pick.place_bytes;
      uint64_t gaps = 0;
      for (const PickedPart& part : pick.parts) {
        ASSERT_TRUE(left.contains(part.id));
        Wish& wish = left.at(part.id);
        ASSERT_EQ(part.place_bytes, wish.place_bytes);
        ASSERT_LE(part.length_bytes, wish.length_bytes);
        ASSERT_GE(part.place_bytes, end);
        ASSERT_LE(part.place_bytes - end, options.gap_bytes);
        ASSERT_EQ(wish.file, pick.file);
        gaps += part.place_bytes - end;
        end = part.place_bytes + part.length_bytes;
        wish.place_bytes += part.length_bytes;
        wish.length_bytes -= part.length_bytes;
        longest_wait_us = std::max(longest_wait_us, told.now_us - asked_us.at(part.id));
        if (wish.length_bytes == 0) left.erase(part.id);
      }
      ASSERT_EQ(gaps, pick.gap_bytes);
      ASSERT_EQ(end, pick.place_bytes + pick.length_bytes);
      told.now_us += 1 + pick.length_bytes / 150 + (pick.is_seek ? 8 * kMs : 0);
    };
    for (int step = 0; step < 1500; ++step) {
      if (random() % 3 != 0 && left.size() < 60) {
        const std::array<int32_t, 6> priorities = {0, 0, 0, kStream, kPrefetch, kUrgent};
        const Wish wish = {.id = id++,
                           .file = 1 + random() % 2,
                           .place_bytes = random() % 4096 * 16 * kKib,
                           .length_bytes = 1 + random() % (random() % 9 == 0 ? kMib : 40 * kKib),
                           .priority = priorities[random() % 6],
                           .asked_us = told.now_us,
                           .deadline_us = random() % 5 == 0 ? told.now_us + random() % 100000 : 0,
                           .is_whole = random() % 20 == 0};
        told.elevator.add(wish);
        left[wish.id] = wish;
        asked_us[wish.id] = told.now_us;
      } else if (!left.empty() && random() % 10 == 0) {
        const auto victim = std::next(left.begin(), static_cast<long>(random() % left.size()));
        ASSERT_TRUE(told.elevator.remove(victim->first));
        left.erase(victim);
      } else if (!left.empty()) {
        take();
      }
    }
    while (!left.empty()) take();
    EXPECT_TRUE(told.elevator.empty());
    // Patience of a prefetch, and two passes over 60 requests at some 20 ms each.
    EXPECT_LT(longest_wait_us, 15'000 * kMs) << "seed " << seed;
  }
}

}  // namespace
}  // namespace seekless::runtime
