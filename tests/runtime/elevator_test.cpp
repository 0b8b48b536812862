#include "runtime/elevator.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/sizes.h"

namespace seekless::runtime {
namespace {

using testing::ElementsAre;

constexpr uint64_t kMs = 1000;
constexpr int32_t kUrgent = 100;
constexpr int32_t kStream = -50;
constexpr int32_t kPrefetch = -100;

// The options that the scheduler sets for solid media.
constexpr ElevatorOptions kSolid = {.most_read_bytes = kMiB,
                                    .gap_bytes = 32 * kKiB,
                                    .seeks_cost = false,
                                    .bypasses_per_second = 0,
                                    .notice_us = 2 * kMs};
constexpr ElevatorOptions kRotational = {.most_read_bytes = 2 * kMiB};

// An elevator with a short notation for wishes.
struct Told {
  explicit Told(const ElevatorOptions& options = {}) : elevator(options) {}

  void want(uint64_t id, uint64_t place, uint64_t length = 4 * kKiB, int32_t priority = 0) {
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
  // Returns the ids of the parts of the next pick.
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
  told.want(1, 500 * kMiB);
  told.want(2, 100 * kMiB);
  told.want(3, 900 * kMiB);
  told.want(4, 300 * kMiB);
  EXPECT_THAT(told.all(), ElementsAre(2, 4, 1, 3));
}

TEST(Elevator, goes_on_from_where_it_is_and_round) {
  Told told;
  told.want(1, 500 * kMiB);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.want(2, 100 * kMiB);
  told.want(3, 700 * kMiB);
  told.want(4, 600 * kMiB);
  EXPECT_THAT(told.all(), ElementsAre(4, 3, 2));
}

TEST(Elevator, joins_neighbours_into_one_read) {
  Told told;
  told.want(1, 0, 4 * kKiB);
  told.want(2, 4 * kKiB, 8 * kKiB);
  told.want(3, 12 * kKiB, 1);
  const Pick pick = told.pick();
  EXPECT_EQ(pick.parts.size(), 3U);
  EXPECT_EQ(pick.length_bytes, 12 * kKiB + 1);
  EXPECT_EQ(pick.gap_bytes, 0U);
}

TEST(Elevator, reads_gaps_through_up_to_the_break_even) {
  Told told;
  told.want(1, 0, kKiB);
  told.want(2, kKiB + kMiB, kKiB);
  told.want(3, 2 * kKiB + 2 * kMiB + 1, kKiB);
  const Pick pick = told.pick();
  EXPECT_EQ(pick.parts.size(), 2U);
  EXPECT_EQ(pick.gap_bytes, kMiB);
  EXPECT_THAT(told.ids(), ElementsAre(3));
}

TEST(Elevator, joins_nothing_across_files) {
  Told told;
  told.want(1, 0);
  told.elevator.add({.id = 2, .file = 2, .place_bytes = 4 * kKiB, .length_bytes = 4 * kKiB});
  EXPECT_THAT(told.ids(), ElementsAre(1));
  EXPECT_THAT(told.ids(), ElementsAre(2));
}

TEST(Elevator, cuts_long_requests_so_that_urgent_ones_come_between) {
  Told told;
  told.want(1, 0, 9 * kMiB);
  EXPECT_EQ(told.pick().length_bytes, 4 * kMiB);
  told.want(2, 500 * kMiB, kKiB, kUrgent);
  EXPECT_THAT(told.ids(), ElementsAre(2));
  const Pick second = told.pick();
  EXPECT_EQ(second.place_bytes, 4 * kMiB);
  EXPECT_EQ(second.length_bytes, 4 * kMiB);
  EXPECT_EQ(told.pick().length_bytes, kMiB);
  EXPECT_TRUE(told.elevator.empty());
}

TEST(Elevator, says_how_far_it_jumps_where_places_are_known) {
  Told told;
  const auto want = [&](uint64_t id, uint64_t file, uint64_t place, bool is_placed) {
    told.elevator.add({.id = id,
                       .file = file,
                       .place_bytes = place,
                       .length_bytes = kKiB,
                       .is_placed = is_placed});
    return told.pick().jump_bytes;
  };
  want(1, 1, 0, true);
  EXPECT_EQ(want(2, 1, kKiB, true), 0U) << "it goes on";
  EXPECT_EQ(want(3, 1, 100 * kMiB, true), 100 * kMiB - 2 * kKiB);
  EXPECT_EQ(want(4, 2, 50 * kMiB, true), 50 * kMiB + kKiB) << "backward, to another file";
  EXPECT_EQ(want(5, 3, 900 * kMiB, false), 0U) << "nobody knows where that is";
  EXPECT_EQ(want(6, 3, 1000 * kMiB, false), 100 * kMiB - kKiB) << "within a file";
  EXPECT_EQ(want(7, 1, 0, true), 0U);
}

TEST(Elevator, cuts_what_follows_a_far_jump_if_asked) {
  Told told;
  const Elevator::Cut cut = {.far_bytes = 16 * kMiB, .most_after_jump_bytes = 64 * kKiB};
  told.want(1, 0, kMiB);
  told.want(2, 100 * kMiB, 2 * kMiB);
  std::vector<uint64_t> lengths;
  for (Pick pick; told.elevator.next(told.now_us, pick, cut);) lengths.push_back(pick.length_bytes);
  EXPECT_THAT(lengths, ElementsAre(kMiB, 64 * kKiB, 2 * kMiB - 64 * kKiB));
}

TEST(Elevator, goes_on_with_all_that_waits_for_another_medium) {
  Told told;
  for (uint64_t i = 1; i <= 10; ++i) told.want(i, i * 100 * kMiB, 2 * kMiB);
  told.pick();
  told.elevator.set_options(kSolid);
  std::set<uint64_t> left;
  for (const uint64_t id : told.all()) left.insert(id);
  EXPECT_EQ(left.size(), 9U);
}

TEST(Elevator, whole_requests_are_neither_cut_nor_joined) {
  Told told;
  told.elevator.add({.id = 1, .file = 1, .length_bytes = 9 * kMiB, .is_whole = true});
  told.want(2, 9 * kMiB);
  const Pick pick = told.pick();
  EXPECT_EQ(pick.length_bytes, 9 * kMiB);
  EXPECT_EQ(pick.parts.size(), 1U);
}

TEST(Elevator, overlapping_requests_are_each_served_one_behind_the_other) {
  Told told;
  told.want(1, 0, 100 * kKiB);
  told.want(2, 0, 100 * kKiB);
  told.want(3, 50 * kKiB, 100 * kKiB);
  told.want(4, 500 * kMiB);
  std::set<uint64_t> first;
  for (int i = 0; i < 3; ++i)
    for (const uint64_t id : told.ids()) first.insert(id);
  EXPECT_THAT(first, ElementsAre(1, 2, 3));
  EXPECT_THAT(told.ids(), ElementsAre(4));
}

TEST(Elevator, urgent_ones_go_first_and_the_pass_goes_on_where_it_was) {
  Told told;
  for (uint64_t i = 0; i < 4; ++i) told.want(1 + i, i * 100 * kMiB);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.want(9, 350 * kMiB, kKiB, kUrgent);
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
                     .place_bytes = 900 * kMiB,
                     .length_bytes = kKiB,
                     .asked_us = told.now_us,
                     .deadline_us = told.now_us + 100 * kMs});
  told.want(3, 100 * kMiB);
  told.want(4, 200 * kMiB);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.now_us += 49 * kMs;
  EXPECT_THAT(told.ids(), ElementsAre(3));
  told.now_us += 1 * kMs;
  EXPECT_THAT(told.ids(), ElementsAre(2));
  EXPECT_THAT(told.ids(), ElementsAre(4));
}

TEST(Elevator, urgent_ones_in_the_way_cost_nothing) {
  Told told({.bypasses_per_second = 0});
  told.want(1, 0, kMiB);
  told.want(2, 900 * kMiB);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.want(3, kMiB + kKiB, kKiB, kUrgent);
  const Pick pick = told.pick();
  EXPECT_EQ(pick.parts.front().id, 3U);
  EXPECT_FALSE(pick.is_bypass);
}

// A sweep continues while urgent requests come ten times as often as they may cost seeks.
TEST(Elevator, urgent_requests_cost_no_more_seeks_than_allowed) {
  Told told({.bypasses_per_second = 20});
  uint64_t sweep_place = 0;
  uint64_t seeks = 0;
  uint64_t picks_of_sweep = 0;
  told.want(1, 0, 4 * kMiB);
  constexpr int kSeconds = 20;
  std::mt19937_64 random(1);
  uint64_t id = 100;
  for (int step = 0; step < kSeconds * 100; ++step) {
    told.now_us += 10 * kMs;
    told.want(id++, (1 + random() % 1000) * 1000 * kMiB, kKiB, kUrgent);
    told.want(id++, (1 + random() % 1000) * 1000 * kMiB, kKiB, kUrgent);
    const Pick pick = told.pick();
    if (pick.is_bypass) seeks += 1;
    if (pick.parts.front().id < 100) {
      ++picks_of_sweep;
      sweep_place += 4 * kMiB;
      told.want(1, sweep_place, 4 * kMiB);
    }
  }
  EXPECT_LE(seeks, 20U * (kSeconds + 1));
  EXPECT_GE(seeks, 10U * (kSeconds - 1)) << "what is allowed is used";
  EXPECT_GT(picks_of_sweep, 0U);
}

// A sweep, and urgent requests beside it, on a disk that takes 10 ms for a seek.
struct BesideASweep {
  explicit BesideASweep(double per_second) : told(kRotational) {
    std::mt19937_64 random(3);
    const auto gap_us = static_cast<uint64_t>(1e6 / per_second);
    uint64_t next_us = told.now_us;
    const uint64_t begin_us = told.now_us;
    uint64_t swept_bytes = 0;
    for (uint64_t id = 1'000'000; told.now_us < begin_us + 20'000 * kMs;) {
      told.want(1, swept_bytes, 8 * kMiB);
      for (; next_us <= told.now_us; next_us += gap_us)
        ask(id++, (4000 + random() % 1000) * kMiB, next_us);
      const Pick pick = told.pick();
      told.now_us += pick.length_bytes / 120 + (pick.is_seek ? 10 * kMs : 0);
      for (const PickedPart& part : pick.parts) {
        if (part.id != 1) latencies_us.push_back(told.now_us - asked_us.at(part.id));
        if (part.id == 1) swept_bytes += part.length_bytes;
      }
      told.elevator.remove(1);
    }
    swept_mb_s = static_cast<double>(swept_bytes) / 20e6;
    std::ranges::sort(latencies_us);
  }
  void ask(uint64_t id, uint64_t place, uint64_t at_us) {
    asked_us[id] = at_us;
    told.elevator.add({.id = id,
                       .file = 1,
                       .place_bytes = place,
                       .length_bytes = 16 * kKiB,
                       .priority = kUrgent,
                       .asked_us = at_us,
                       .deadline_us = at_us + 200 * kMs});
  }

  Told told;
  std::map<uint64_t, uint64_t> asked_us;
  std::vector<uint64_t> latencies_us;
  double swept_mb_s = 0;
};

TEST(Elevator, urgent_requests_hold_their_deadlines_beside_a_sweep) {
  double before_mb_s = 121;
  for (const double per_second : {10.0, 20.0, 40.0, 50.0, 60.0, 75.0}) {
    const BesideASweep beside(per_second);
    EXPECT_GT(beside.latencies_us.size(), 19 * per_second);
    EXPECT_LT(beside.latencies_us.back(), 200 * kMs) << per_second;
    EXPECT_GT(beside.swept_mb_s, 1'000.0 / (per_second + 10)) << "the sweep goes on";
    EXPECT_LT(beside.swept_mb_s, before_mb_s);
    before_mb_s = beside.swept_mb_s;
  }
}

TEST(Elevator, another_priority_or_deadline_moves_what_waits) {
  Told told;
  told.want(1, 100 * kMiB, kKiB, kPrefetch);
  told.want(2, 200 * kMiB, kKiB, kStream);
  told.want(3, 300 * kMiB);
  told.want(4, 400 * kMiB, kKiB, kUrgent);
  told.want(5, 500 * kMiB);
  EXPECT_TRUE(told.elevator.reschedule(1, kUrgent, 0, told.now_us));
  EXPECT_TRUE(told.elevator.reschedule(4, kPrefetch, 0, told.now_us));
  EXPECT_TRUE(told.elevator.reschedule(3, 0, told.now_us + 300 * kMs, told.now_us));
  EXPECT_FALSE(told.elevator.reschedule(9, 0, 0, told.now_us));
  EXPECT_THAT(told.ids(), ElementsAre(1));
  EXPECT_TRUE(told.elevator.reschedule(5, 0, told.now_us + 10, told.now_us));
  EXPECT_THAT(told.all(), ElementsAre(5, 3, 2, 4));
}

// Each wish is picked once in the end, however often and in whatever order it is rescheduled.
TEST(Elevator, rescheduling_loses_nothing) {
  for (const ElevatorOptions& options : {kSolid, kRotational}) {
    Told told(options);
    std::mt19937_64 random(11);
    std::map<uint64_t, uint64_t> left_bytes;
    for (uint64_t id = 1; id <= 200; ++id) {
      left_bytes[id] = kKiB + random() % (3 * kMiB);
      told.want(id, random() % 1000 * kMiB, left_bytes[id],
                static_cast<int32_t>(random() % 4) * 100 - 200);
    }
    while (!told.elevator.empty()) {
      for (int i = 0; i < 5; ++i)
        told.elevator.reschedule(1 + random() % 200, static_cast<int32_t>(random() % 4) * 100 - 200,
                                 random() % 2 == 0 ? 0 : told.now_us + random() % 200 * kMs,
                                 told.now_us);
      const Pick pick = told.pick();
      for (const PickedPart& part : pick.parts) left_bytes.at(part.id) -= part.length_bytes;
      told.now_us += 5 * kMs;
    }
    for (const auto& [id, bytes] : left_bytes) EXPECT_EQ(bytes, 0U) << id;
  }
}

TEST(Elevator, on_solid_media_urgent_ones_need_no_allowance) {
  Told told(kSolid);
  told.want(1, 0);
  for (uint64_t i = 0; i < 100; ++i) told.want(100 + i, (900 - i) * kMiB, kKiB, kUrgent);
  const std::vector<uint64_t> order = told.all();
  EXPECT_EQ(std::ranges::find(order, 1) - order.begin(), 100);
}

// Somebody always has urgent requests outstanding, while one request of each other kind waits.
struct Flood {
  ElevatorOptions options;
  uint64_t outstanding = 64;
  uint64_t length_bytes = kMiB;
  uint64_t span_bytes = 4096 * kMiB;  // range over which they lie
  uint64_t pick_us = kMs / 2;
  uint64_t seek_us = 0;
};

constexpr uint64_t kNormalId = 1;
constexpr uint64_t kStreamId = 2;
constexpr uint64_t kPrefetchId = 3;
constexpr uint64_t kDeadlineId = 4;

// When each of the other requests was picked, and the share of urgent ones in all that was read.
struct Endured {
  std::map<uint64_t, uint64_t> after_us;
  double urgent_share = 0;
};

Endured endure(const Flood& flood) {
  Told told(flood.options);
  const uint64_t start_us = told.now_us;
  std::mt19937_64 random(5);
  uint64_t id = 100;
  const auto flood_on = [&] {
    const uint64_t places = flood.span_bytes / flood.length_bytes;
    told.want(id++, random() % places * flood.length_bytes, flood.length_bytes, kUrgent);
  };
  for (uint64_t i = 0; i < flood.outstanding; ++i) flood_on();
  told.want(kNormalId, flood.span_bytes / 2 + kKiB, kKiB);
  told.want(kStreamId, flood.span_bytes / 3 + kKiB, kKiB, kStream);
  told.want(kPrefetchId, 2 * flood.span_bytes + kMiB, kKiB, kPrefetch);
  told.elevator.add({.id = kDeadlineId,
                     .file = 1,
                     .place_bytes = flood.span_bytes / 4 + kKiB,
                     .length_bytes = kKiB,
                     .asked_us = told.now_us,
                     .deadline_us = told.now_us + 100 * kMs});
  Endured endured;
  uint64_t picks = 0;
  uint64_t urgent_picks = 0;
  while (endured.after_us.size() < 4 && told.now_us - start_us < 20'000 * kMs) {
    const Pick pick = told.pick();
    told.now_us += flood.pick_us + (pick.is_seek ? flood.seek_us : 0);
    ++picks;
    for (const PickedPart& part : pick.parts) {
      if (part.id < 100) {
        endured.after_us.emplace(part.id, told.now_us - start_us);
        continue;
      }
      ++urgent_picks;
      flood_on();
    }
  }
  endured.urgent_share = static_cast<double>(urgent_picks) / static_cast<double>(picks);
  return endured;
}

// Everything that waits can be read once in `round_us`, and the pass gets a quarter of the reading.
void expect_bounds(const Endured& endured, uint64_t round_us) {
  ASSERT_EQ(endured.after_us.size(), 4U) << "somebody waits for ever";
  EXPECT_LT(endured.after_us.at(kNormalId), 500 * kMs + 4 * round_us);
  EXPECT_LT(endured.after_us.at(kStreamId), 2'000 * kMs + 4 * round_us);
  EXPECT_LT(endured.after_us.at(kPrefetchId), 12'000 * kMs + 4 * round_us);
  EXPECT_LT(endured.after_us.at(kDeadlineId), 100 * kMs + 2 * round_us);
  EXPECT_GT(endured.urgent_share, 0.7);
}

TEST(Elevator, urgent_requests_without_end_starve_nobody_on_solid_media) {
  const Flood flood = {.options = kSolid};
  expect_bounds(endure(flood), flood.outstanding * flood.pick_us);
}

TEST(Elevator, urgent_requests_of_one_place_starve_nobody) {
  for (const ElevatorOptions& options : {kSolid, kRotational}) {
    const Flood flood = {.options = options, .length_bytes = kKiB, .span_bytes = kKiB};
    expect_bounds(endure(flood), flood.outstanding * flood.pick_us);
  }
}

// Each urgent request takes longer than earning the allowance for another seek.
TEST(Elevator, long_urgent_requests_starve_nobody_on_a_disk) {
  const Flood flood = {.options = kRotational,
                       .outstanding = 8,
                       .length_bytes = 2 * kMiB,
                       .pick_us = 14 * kMs,
                       .seek_us = 12 * kMs};
  expect_bounds(endure(flood), flood.outstanding * (flood.pick_us + flood.seek_us));
}

TEST(Elevator, deadlines_without_end_starve_nobody) {
  Told told(kSolid);
  uint64_t id = 100;
  const uint64_t start_us = told.now_us;
  const auto flood_on = [&] {
    told.elevator.add({.id = id,
                       .file = 1,
                       .place_bytes = id % 97 * 10 * kMiB,
                       .length_bytes = kMiB,
                       .asked_us = told.now_us,
                       .deadline_us = told.now_us + 1});
    ++id;
  };
  for (int i = 0; i < 64; ++i) flood_on();
  told.want(kStreamId, 5 * kMiB, kKiB, kStream);
  uint64_t waited_us = 0;
  for (bool is_served = false; !is_served && waited_us < 20'000 * kMs;) {
    for (const uint64_t got : told.ids()) {
      is_served |= got == kStreamId;
      if (got >= 100) flood_on();
    }
    told.now_us += kMs / 2;
    waited_us = told.now_us - start_us;
  }
  EXPECT_LT(waited_us, 2'000 * kMs + 64 * 4 * kMs / 2);
}

TEST(Elevator, background_waits_for_all_others) {
  Told told;
  told.want(1, 0, kKiB, kPrefetch);
  told.want(2, 100 * kMiB, kKiB, kStream);
  told.want(3, 200 * kMiB, kKiB);
  EXPECT_THAT(told.all(), ElementsAre(3, 2, 1));
}

TEST(Elevator, background_in_the_way_is_taken_along) {
  Told told;
  told.want(1, 0, kKiB);
  told.want(2, kKiB, kKiB, kPrefetch);
  EXPECT_THAT(told.ids(), ElementsAre(1, 2));
}

TEST(Elevator, background_is_served_in_time_under_load) {
  Told told;
  uint64_t id = 100;
  told.want(1, 500 * kMiB, 20 * kMiB, kStream);
  told.want(2, 600 * kMiB, 20 * kMiB, kPrefetch);
  std::map<uint64_t, uint64_t> first_us;
  for (int step = 0; step < 3000; ++step) {
    told.now_us += 5 * kMs;
    told.want(id, (id % 7) * 1000 * kMiB);
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
  told.want(1, 1000 * kMiB);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  told.want(10, 1001 * kMiB);
  told.want(2, 0);  // already passed
  uint64_t id = 11;
  uint64_t place = 1005 * kMiB;
  uint64_t waited_us = 0;
  for (; waited_us < 10'000 * kMs; waited_us += 10 * kMs) {
    told.now_us += 10 * kMs;
    told.want(id++, place += 5 * kMiB, 4 * kMiB);  // a sweep without end
    if (told.pick().parts.front().id == 2) break;
  }
  EXPECT_LT(waited_us, 1'100 * kMs);
}

TEST(Elevator, says_what_follows_without_a_seek) {
  Told told;
  told.want(1, 0, 4 * kMiB);
  told.want(2, 4 * kMiB, 6 * kMiB);
  told.want(3, 500 * kMiB);
  EXPECT_THAT(told.ids(), ElementsAre(1));
  const auto following = told.elevator.following();
  ASSERT_TRUE(following);
  EXPECT_EQ(following->id, 2U);
  EXPECT_EQ(following->length_bytes, 4 * kMiB);
  told.pick();
  told.pick();
  EXPECT_FALSE(told.elevator.following());
}

TEST(Elevator, says_how_much_adjoins_a_pick_without_a_gap) {
  Told told;
  told.want(1, 0, 4 * kMiB);
  told.want(2, 4 * kMiB, 6 * kMiB);
  told.want(3, 10 * kMiB, kMiB);
  told.want(4, 11 * kMiB + 1, kMiB);  // not read without a gap
  EXPECT_THAT(told.ids(), ElementsAre(1));
  EXPECT_EQ(told.elevator.adjoining_bytes(64 * kMiB), 7 * kMiB);
  told.pick();
  EXPECT_EQ(told.elevator.adjoining_bytes(64 * kMiB), 3 * kMiB);
}

// Counting takes time under the scheduler's lock.
TEST(Elevator, stops_counting_what_adjoins) {
  Told told;
  for (uint64_t i = 0; i < 1000; ++i) told.want(1 + i, i * kKiB, kKiB);
  told.pick();
  const uint64_t counted = told.elevator.adjoining_bytes(kMiB);
  EXPECT_EQ(counted, 64 * kKiB);
  EXPECT_EQ(told.elevator.adjoining_bytes(10 * kKiB), 10 * kKiB);
}

TEST(Elevator, what_is_removed_is_not_served) {
  Told told;
  told.want(1, 0, 9 * kMiB);
  told.want(2, 100 * kMiB, kKiB, kUrgent);
  told.want(3, 200 * kMiB, kKiB, kStream);
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
  for (uint64_t id = 1; id <= 500; ++id) told.want(id, random() % 2000 * kMiB, 64 * kKiB);
  uint64_t travelled = 0;
  uint64_t at = 0;
  while (!told.elevator.empty()) {
    const Pick pick = told.pick();
    travelled += pick.place_bytes > at ? pick.place_bytes - at : at - pick.place_bytes;
    at = pick.place_bytes;
  }
  EXPECT_LE(travelled, 2000 * kMiB);  // in the order of arrival it would be some 660 GiB
}

// Whatever wishes come, in whatever order: each byte of each wish is picked once, nothing else is
// picked, parts rise within their pick, and no wish waits without end.
TEST(Elevator, serves_everything_once_whatever_comes) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const ElevatorOptions options = {.most_read_bytes = (1 + random() % 64) * 16 * kKiB,
                                     .gap_bytes = random() % 3 * 32 * kKiB,
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
                           .place_bytes = random() % 4096 * 16 * kKiB,
                           .length_bytes = 1 + random() % (random() % 9 == 0 ? kMiB : 40 * kKiB),
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
    // The limit is the patience of a prefetch, and two passes over 60 requests at some 20 ms each.
    EXPECT_LT(longest_wait_us, 15'000 * kMs) << "seed " << seed;
  }
}

}  // namespace
}  // namespace seekless::runtime
