// Tests sweeps and reads of real and virtual packs by the runtime, charged to a drive.
#include "packer/simulate/pack_load.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/pack/virtual_packs.h"
#include "tests/pack/set_maker.h"
#include "tests/simulate/disk.h"

namespace seekless {
namespace {

using testing::HasSubstr;

SimulationOptions with_moves() {
  return {.read_ahead = {}, .queue_depth = 1, .keeps_moves = true};
}

// 40 MB in 100 assets; "level" doesn't need every fourth one, and some are equal.
struct FortyMegabytes : SetMaker {
  FortyMegabytes() : SetMaker(format::kDefaultBlockBytes) {
    const uint32_t menu = add_scenario("menu");
    const uint32_t level = add_scenario("level");
    layout.read_through_bytes = kDefaultReadThroughBytes;
    add_pack("common");
    for (uint64_t i = 0; i < 100; ++i)
      add("a" + std::to_string(i), noise(400'000, i % 90),
          i % 4 == 0 ? std::vector<uint32_t>{menu} : std::vector<uint32_t>{menu, level});
    write({.threads = 2});
  }
};

// A set with its place on a drive.
struct OnDrive {
  OnDrive(const runtime::FileIo& io, const std::string& folder,
          const DriveProfile& profile = disk(), const std::vector<PlaceRule>& rules = {})
      : drive(profile),
        files(files_of_set(io, folder).value()),
        positions(place_files(files, rules, drive).value()),
        packs{io, folder, files, positions, drive} {}
  DriveProfile drive;
  std::vector<FileToPlace> files;
  std::vector<uint64_t> positions;
  PacksOnDrive packs;
};

class PackLoads : public testing::Test {
 protected:
  static void SetUpTestSuite() { game = new FortyMegabytes; }
  static void TearDownTestSuite() {
    delete game;
    game = nullptr;
  }
  static std::vector<std::string> all_paths() {
    std::vector<std::string> paths;
    for (int i = 0; i < 100; ++i) paths.push_back("a" + std::to_string(i));
    return paths;
  }

  static const FortyMegabytes* game;
  const std::unique_ptr<runtime::FileIo> io = runtime::make_system_file_io();
};
const FortyMegabytes* PackLoads::game = nullptr;

TEST_F(PackLoads, sweep_of_all_of_a_pack_comes_close_to_the_bound) {
  const OnDrive at(*io, game->folder());
  const auto sweep = simulate_sweep(at.packs, "menu", {}, {});
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_EQ(sweep->assets, 100U);
  EXPECT_EQ(sweep->load.needed_bytes, 36'000'000U) << "90 contents, each once";
  EXPECT_GE(sweep->load.cost.seconds, sweep->load.bound_seconds);
  EXPECT_LT(sweep->load.cost.seconds, sweep->load.bound_seconds * 1.1);
  EXPECT_LE(sweep->load.cost.seeks, 3U);
  EXPECT_TRUE(sweep->load.moves.empty()) << "nobody asked for them";
}

TEST_F(PackLoads, sweep_reads_short_gaps_through) {
  const OnDrive at(*io, game->folder());
  const auto all = simulate_sweep(at.packs, "menu", {}, {});
  const auto part = simulate_sweep(at.packs, "level", {}, {});
  ASSERT_TRUE(all);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->assets, 75U);
  EXPECT_EQ(part->load.needed_bytes, 28'000'000U) << "70 contents, each once";
  EXPECT_LE(part->load.cost.seconds, all->load.cost.seconds);
  EXPECT_LE(part->load.cost.seeks, 3U);
}

TEST_F(PackLoads, moves_of_a_sweep_add_up_to_its_cost_and_go_forward) {
  const OnDrive at(*io, game->folder());
  const auto sweep = simulate_sweep(at.packs, "menu", {}, with_moves());
  ASSERT_TRUE(sweep);
  uint64_t bytes = 0;
  uint64_t position = 0;
  for (const HeadMove& move : sweep->load.moves) {
    EXPECT_GE(move.position_bytes, position);
    position = move.position_bytes + move.length_bytes;
    bytes += move.length_bytes;
  }
  EXPECT_EQ(bytes, sweep->load.cost.bytes);
  EXPECT_EQ(sweep->load.moves.size(), sweep->load.cost.reads);
}

TEST_F(PackLoads, figures_of_a_layout_are_those_of_its_packs) {
  const auto planned = VirtualPacks::of_layout(game->layout).value();
  const OnDrive real(*io, game->folder());
  const OnDrive planned_only(*planned, "layout.json");
  const auto paths = all_paths();
  for (const auto& read_ahead : {ReadAhead{}, kNoReadAhead, kWindowsReadAhead}) {
    const SimulationOptions options = {.read_ahead = read_ahead};
    for (const auto& [a, b] :
         {std::pair(simulate_sweep(real.packs, "level", {}, options),
                    simulate_sweep(planned_only.packs, "level", {}, options)),
          std::pair(simulate_demand(real.packs, "", paths, options),
                    simulate_demand(planned_only.packs, "", paths, options))}) {
      ASSERT_TRUE(a);
      ASSERT_TRUE(b) << b.error().message;
      EXPECT_EQ(a->load.cost.seconds, b->load.cost.seconds);
      EXPECT_EQ(a->load.cost.reads, b->load.cost.reads);
      EXPECT_EQ(a->load.cost.seeks, b->load.cost.seeks);
      EXPECT_EQ(a->load.cost.bytes, b->load.cost.bytes);
      EXPECT_EQ(a->load.bound_seconds, b->load.bound_seconds);
      EXPECT_EQ(a->load.needed_bytes, b->load.needed_bytes);
    }
  }
}

TEST_F(PackLoads, demand_in_an_order_unlike_that_of_the_packs_seeks) {
  const OnDrive at(*io, game->folder());
  auto paths = all_paths();
  const auto in_order = simulate_demand(at.packs, "", paths, {});
  std::ranges::reverse(paths);
  const auto backward = simulate_demand(at.packs, "", paths, {});
  ASSERT_TRUE(in_order) << in_order.error().message;
  ASSERT_TRUE(backward);
  EXPECT_EQ(in_order->assets, 100U);
  EXPECT_GE(in_order->load.cost.bytes, in_order->load.needed_bytes - 10 * 400'000);
  EXPECT_GT(backward->load.cost.seeks, in_order->load.cost.seeks + 50);
  EXPECT_GT(backward->load.cost.seconds, in_order->load.cost.seconds);
}

TEST_F(PackLoads, demand_counts_what_is_not_in_the_packs) {
  const OnDrive at(*io, game->folder());
  const std::vector<std::string> paths = {"a1", "gone", "a2"};
  const auto load = simulate_demand(at.packs, "", paths, {});
  ASSERT_TRUE(load);
  EXPECT_EQ(load->missing, 1U);
  EXPECT_EQ(load->assets, 2U);
}

TEST_F(PackLoads, bound_is_at_the_rate_where_the_packs_lie) {
  const OnDrive outside(*io, game->folder());
  const OnDrive inside(*io, game->folder(), disk(), {{"common.skl", 999'000'000'000}});
  const auto fast = simulate_sweep(outside.packs, "menu", {}, {});
  const auto slow = simulate_sweep(inside.packs, "menu", {}, {});
  ASSERT_TRUE(fast);
  ASSERT_TRUE(slow);
  EXPECT_NEAR(slow->load.bound_seconds - fast->load.bound_seconds,
              36'000'000 / 60e6 - 36'000'000 / 126e6, 0.02)
      << "what ten assets share with others is read once";
  EXPECT_LT(slow->load.cost.seconds, slow->load.bound_seconds * 1.1);
}

TEST_F(PackLoads, solid_state_does_not_seek) {
  const OnDrive at(*io, game->folder(), find_profile("nvme-optane").value());
  const auto sweep = simulate_sweep(at.packs, "menu", {}, {});
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->load.cost.seeks, 0U);
}

TEST_F(PackLoads, sweep_works_with_the_largest_compressed_blocks) {
  SetMaker zeros(format::kMaxBlockBytes);
  zeros.add_scenario("menu");
  zeros.add_pack("p");
  zeros.add("z", std::string(20'000'000, '\0'), {0});
  zeros.write({.codec = format::Codec::lz4});
  const OnDrive at(*io, zeros.folder());
  const auto sweep = simulate_sweep(at.packs, "menu", {}, {});
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_LT(sweep->load.cost.bytes, 1'000'000U);
}

TEST_F(PackLoads, say_what_is_missing) {
  const OnDrive at(*io, game->folder());
  const auto sweep = simulate_sweep(at.packs, "credits", {}, {});
  ASSERT_FALSE(sweep);
  EXPECT_THAT(sweep.error().message, HasSubstr("'credits'"));
  EXPECT_FALSE(files_of_set(*io, game->folder() + "/none"));
  const auto single = files_of_set(*io, game->file("common.skl"));
  ASSERT_FALSE(single);
  EXPECT_THAT(single.error().message, HasSubstr("a pack set"));
}

}  // namespace
}  // namespace seekless
