// Tests orders as the script writes them, and which reads a fault hits.
#include "integration/hdd/orders.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless::hdd {
namespace {

using testing::ElementsAre;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

TEST(Orders, reads_each_kind) {
  EXPECT_EQ(parse_order("reset\n")->kind, Order::Kind::reset);
  EXPECT_EQ(parse_order("none")->kind, Order::Kind::none);
  const auto eio = parse_order("eio 4096 512 3 7\n");
  ASSERT_TRUE(eio);
  EXPECT_EQ(eio->kind, Order::Kind::fault);
  EXPECT_EQ(eio->fault.begin_bytes, 4096U);
  EXPECT_EQ(eio->fault.length_bytes, 512U);
  EXPECT_EQ(eio->fault.times, 3U);
  EXPECT_EQ(eio->fault.after_reads, 7U);
  EXPECT_EQ(eio->fault.slow_ms, 0);
  EXPECT_EQ(parse_order("slow 0 1 0 0 12.5")->fault.slow_ms, 12.5);
  EXPECT_EQ(parse_order("stuck 0.25")->stuck_s, 0.25);
}

TEST(Orders, refuses_everything_else) {
  for (const std::string line : {"",
                                 "\n",
                                 " ",
                                 "nothing",
                                 "reset 1",
                                 "none none",
                                 "none\n\n",
                                 "stuck",
                                 "stuck 0",
                                 "stuck -1",
                                 "stuck nan",
                                 "stuck inf",
                                 "stuck 3601",
                                 "stuck 1s",
                                 "eio",
                                 "eio 1 2 3",
                                 "eio 0 0 1 0",
                                 "eio -1 1 1 0",
                                 "eio 1.5 1 1 0",
                                 "eio 0 18446744073709551616 0 0",
                                 "eio 1 18446744073709551615 0 0",
                                 "eio 0 1 1 0 5",
                                 "slow 0 1 1 0",
                                 "slow 0 1 1 0 0",
                                 "slow 0 1 1 0 1e9",
                                 "slow  0 1 1 0 5"})
    EXPECT_FALSE(parse_order(line)) << "'" << line << "'";
}

TEST(Faults, strike_what_touches_them) {
  Faults faults;
  faults.add({.begin_bytes = 1000, .length_bytes = 10});
  EXPECT_FALSE(faults.on_read(0, 1000).fails);
  EXPECT_TRUE(faults.on_read(0, 1001).fails);
  EXPECT_TRUE(faults.on_read(1009, 1).fails);
  EXPECT_FALSE(faults.on_read(1010, 5).fails);
  EXPECT_TRUE(faults.on_read(0, kMost).fails);
  EXPECT_EQ(faults.counters().failed_reads, 3U);
}

TEST(Faults, reach_to_the_end_of_numbers) {
  Faults faults;
  faults.add({.begin_bytes = 1, .length_bytes = kMost - 1});
  EXPECT_TRUE(faults.on_read(kMost - 1, 1).fails);
  EXPECT_FALSE(faults.on_read(0, 1).fails);
}

TEST(Faults, strike_so_often_and_after_so_many_reads) {
  Faults faults;
  faults.add({.begin_bytes = 0, .length_bytes = 10, .times = 2, .after_reads = 1});
  std::vector<bool> failed;
  // The second read lies elsewhere, and doesn't count as hit.
  for (const uint64_t place : {0, 50, 5, 5, 5}) failed.push_back(faults.on_read(place, 1).fails);
  EXPECT_THAT(failed, ElementsAre(false, false, true, true, false));
}

TEST(Faults, add_up_where_they_overlap) {
  Faults faults;
  faults.add({.begin_bytes = 0, .length_bytes = 10, .slow_ms = 5});
  faults.add({.begin_bytes = 5, .length_bytes = 10, .slow_ms = 7});
  faults.add({.begin_bytes = 9, .length_bytes = 1});
  EXPECT_EQ(faults.on_read(0, 6).slow_ms, 12);
  const auto strike = faults.on_read(9, 1);
  EXPECT_TRUE(strike.fails);
  EXPECT_EQ(strike.slow_ms, 12);
  EXPECT_EQ(faults.counters().slow_reads, 2U);
  faults.clear();
  EXPECT_EQ(faults.on_read(0, 10).slow_ms, 0);
}

}  // namespace
}  // namespace seekless::hdd
