#include "packer/simulate/simulate.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

using testing::HasSubstr;

DriveProfile disk() {
  return find_profile("wd-black-1tb").value();
}

// 40 MB in 100 assets of which every fourth isn't needed by "level".
struct Game : SetMaker {
  Game() : SetMaker(format::kDefaultBlockBytes) {
    const uint32_t menu = add_scenario("menu");
    const uint32_t level = add_scenario("level");
    layout.read_through_bytes = kDefaultReadThroughBytes;
    add_pack("common");
    for (uint64_t i = 0; i < 100; ++i)
      add("a" + std::to_string(i), noise(400'000, i),
          i % 4 == 0 ? std::vector<uint32_t>{menu} : std::vector<uint32_t>{menu, level});
    write({.threads = 2});
  }
};

TEST(SimulateSweep, of_all_of_a_pack_comes_close_to_the_bound) {
  const Game game;
  const auto sweep = simulate_sweep(game.folder(), "menu", disk());
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_EQ(sweep->assets, 100U);
  EXPECT_EQ(sweep->needed_bytes, 40'000'000U);
  const double bound = bound_seconds(disk(), sweep->needed_bytes);
  EXPECT_GE(sweep->simulated.cost.seconds, bound * 0.95);
  EXPECT_LT(sweep->simulated.cost.seconds, bound * 1.05);
  EXPECT_LE(sweep->simulated.cost.seeks, 3U);
  EXPECT_GE(sweep->simulated.cost.bytes, sweep->needed_bytes);
}

TEST(SimulateSweep, reads_short_gaps_through) {
  const Game game;
  const auto all = simulate_sweep(game.folder(), "menu", disk());
  const auto part = simulate_sweep(game.folder(), "level", disk());
  ASSERT_TRUE(all);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->assets, 75U);
  EXPECT_EQ(part->needed_bytes, 30'000'000U);
  EXPECT_LE(part->simulated.cost.seconds, all->simulated.cost.seconds);
  EXPECT_LE(part->simulated.cost.seeks, 3U);
}

TEST(SimulateSweep, moves_add_up_to_the_cost_and_go_forward) {
  const Game game;
  const auto sweep = simulate_sweep(game.folder(), "menu", disk());
  ASSERT_TRUE(sweep);
  uint64_t bytes = 0;
  uint64_t position = 0;
  for (const HeadMove& move : sweep->simulated.moves) {
    EXPECT_GE(move.position_bytes + 4096, position) << "only the page that was just read, again";
    position = move.position_bytes + move.length_bytes;
    bytes += move.length_bytes;
  }
  EXPECT_EQ(bytes, sweep->simulated.cost.bytes);
  EXPECT_EQ(sweep->simulated.moves.size(), sweep->simulated.cost.reads);
}

TEST(SimulateSweep, works_with_the_largest_compressed_blocks) {
  SetMaker zeros(format::kMaxBlockBytes);
  zeros.add_scenario("menu");
  zeros.add_pack("p");
  zeros.add("z", std::string(20'000'000, '\0'), {0});
  zeros.write({.codec = format::Codec::lz4});
  const auto sweep = simulate_sweep(zeros.folder(), "menu", disk());
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_LT(sweep->simulated.cost.bytes, 1'000'000U);
}

TEST(SimulateSweep, says_what_is_missing) {
  const Game game;
  const auto sweep = simulate_sweep(game.folder(), "credits", disk());
  ASSERT_FALSE(sweep);
  EXPECT_THAT(sweep.error().message, HasSubstr("'credits'"));
  EXPECT_FALSE(simulate_sweep(game.folder() + "/none", "menu", disk()));
  EXPECT_FALSE(simulate_sweep(game.file("common.skl"), "menu", disk()));
}

class Replay : public testing::Test {
 protected:
  static Content make_content() {
    Content content;
    content.sources = {{.path = "/g/a", .size_bytes = 1'000'000},
                       {.path = "/g/b", .size_bytes = 5000}};
    content.assets = {{"a", {.size_bytes = 1'000'000, .stored_bytes = 1'000'000}},
                      {"b", {.size_bytes = 5000, .stored_bytes = 5000, .source = 1}}};
    return content;
  }
  void SetUp() override {
    replay_.start_trace("menu");
    for (const char* path : {"/g/a", "/g/b", "/lib/x.so"}) ASSERT_TRUE(replay_.add_path(path));
  }
  void read(uint32_t path, uint64_t offset, uint64_t length) {
    ASSERT_TRUE(replay_.add_event(
        {.start_ns = ++clock_ns_, .offset_bytes = offset, .length_bytes = length, .path = path}));
  }
  const std::vector<Simulated>& runs(const std::string& scenario) {
    return replay_.runs().at(scenario);
  }

  const Content content_ = make_content();
  BaselineReplay replay_{content_, disk()};
  int64_t clock_ns_ = 0;
};

TEST_F(Replay, of_a_tiny_trace_is_what_a_hand_computes) {
  read(0, 0, 4096);       // the start of a file: a first window of 32 KiB
  read(0, 4096, 4096);    // its mark: the next window, 64 KiB
  read(0, 8192, 4096);    // in memory
  read(0, 500'000, 100);  // at random: the one page
  read(2, 0, 1'000'000);  // not of the content: nothing
  read(1, 0, 5000);       // a file of two pages
  read(1, 0, 5000);       // in memory
  replay_.finish_trace();
  ASSERT_EQ(runs("menu").size(), 1U);
  const LoadCost& cost = runs("menu")[0].cost;
  EXPECT_EQ(cost.reads, 4U);
  EXPECT_EQ(cost.bytes, 32768U + 65536 + 4096 + 5000);
  const auto& moves = runs("menu")[0].moves;
  ASSERT_EQ(moves.size(), 4U);
  EXPECT_EQ(moves[0].position_bytes, 0U);
  EXPECT_EQ(moves[2].position_bytes, 500'000U);
  EXPECT_EQ(moves[3].position_bytes, 1'003'520U) << "the next file begins at the next page";
}

TEST_F(Replay, each_run_starts_cold) {
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(replay_.add_mark({.scenario = "level", .begins = true}));
    read(1, 0, 5000);
    ASSERT_TRUE(replay_.add_mark({.scenario = "level", .begins = false}));
  }
  replay_.finish_trace();
  ASSERT_EQ(runs("level").size(), 2U);
  EXPECT_EQ(runs("level")[0].cost.bytes, 5000U);
  EXPECT_EQ(runs("level")[1].cost.bytes, 5000U);
  EXPECT_FALSE(replay_.runs().contains("menu")) << "it reads nothing";
}

TEST_F(Replay, a_drive_too_small_for_the_content_is_told_before) {
  Content large = content_;
  large.sources[0].size_bytes = uint64_t{5'000'000'000'000};
  EXPECT_TRUE(BaselineReplay::fits(content_, disk()));
  EXPECT_FALSE(BaselineReplay::fits(large, disk()));
}

}  // namespace
}  // namespace seekless
