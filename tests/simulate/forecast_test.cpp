// Compares the planner's forecast of a layout with the runtime reading its packs on a simulated
// drive. No recording is held out, so both are for the same runs on the same packs.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "packer/pack/virtual_packs.h"
#include "packer/plan/internal/random_choice.h"
#include "packer/plan/planner.h"
#include "packer/simulate/pack_load.h"

namespace seekless {
namespace {

// The planner's average turns of the platter may differ this much from the real ones.
constexpr double kAgrees = 0.1;

// Assets in one archive, and scenarios of one run each unless more are added.
struct Game {
  Content content;
  Profile profile;
  RandomChoice random{7};

  Game(uint32_t assets, double least_bytes, double most_bytes) {
    content.sources.push_back({.path = "game.pk3", .size_bytes = 1, .kind = SourceKind::zip});
    for (uint32_t i = 0; i < assets; ++i) {
      Asset& asset = content.assets.emplace_back();
      asset.path = content.paths.add(fmt::format("data/{:06}", i));
      asset.place = {.size_bytes = static_cast<uint64_t>(between(least_bytes, most_bytes)),
                     .entry = i,
                     .crc32 = i};
      profile.assets.emplace_back(asset.path);
    }
  }

  // Returns values that are spread evenly over the sizes' logarithms.
  double between(double least, double most) {
    const double share = static_cast<double>(random.below(uint64_t{1} << 53)) * 0x1p-53;
    return least * std::pow(most / least, share);
  }

  void add(const std::string& name, std::vector<uint32_t> run) {
    if (profile.scenarios.empty() || profile.scenarios.back().name != name)
      profile.scenarios.push_back({name, {}});
    ProfiledScenario& scenario = profile.scenarios.back();
    scenario.runs.push_back(
        {.trace = fmt::format("{}.{}", name, scenario.runs.size()), .assets = std::move(run)});
  }

  std::vector<std::string> paths(const std::vector<uint32_t>& run) const {
    std::vector<std::string> paths;
    for (const uint32_t asset : run) paths.emplace_back(content.assets[asset].path);
    return paths;
  }

  Layout plan(std::optional<double> budget_ratio) const {
    PlanOptions options;
    options.budget_ratio = budget_ratio;
    options.gain_s_per_gb = 0;
    return plan_layout(profile, content, options).layout;
  }
};

// `threads` threads share the assets in turn. Each reads its own in order, and chance interleaves
// them.
std::vector<uint32_t> interleaved(uint32_t assets, uint32_t threads, RandomChoice& random) {
  std::vector<uint32_t> next(threads);
  for (uint32_t i = 0; i < threads; ++i) next[i] = i * (assets / threads);
  std::vector<uint32_t> run;
  while (run.size() < assets) {
    const auto thread = static_cast<uint32_t>(random.below(threads));
    const uint32_t end = thread + 1 == threads ? assets : (thread + 1) * (assets / threads);
    if (next[thread] < end) run.push_back(next[thread]++);
  }
  return run;
}

// Makes twelve maps that share some of their assets, each in its own order.
Game twelve_maps() {
  Game game(1200, 2e3, 500e3);
  std::vector<std::vector<uint32_t>> of(12);
  for (uint32_t asset = 0; asset < 1200; ++asset) {
    const uint64_t readers = asset % 3 == 0 ? 1 : 2 + game.random.below(6);
    const uint64_t first = game.random.below(12);
    for (uint64_t i = 0; i < readers; ++i) of[(first + i * i) % 12].push_back(asset);
  }
  for (size_t map = 0; map < of.size(); ++map) {
    std::ranges::sort(of[map]);
    const auto repeated = std::ranges::unique(of[map]);
    of[map].erase(repeated.begin(), repeated.end());
    game.random.shuffle(of[map]);
    game.add(fmt::format("map{:02}", map), of[map]);
  }
  return game;
}

class OnDisk {
 public:
  explicit OnDisk(const Layout& layout)
      : io_(std::move(VirtualPacks::of_layout(layout).value())),
        files_(files_of_set(*io_, "packs").value()),
        positions_(place_files(files_, {}, drive_).value()) {}

  double demand_s(const std::string& scenario, const std::vector<std::string>& paths) const {
    return simulate_demand(packs(), scenario, paths, {}).value().load.cost.seconds;
  }
  double sweep_s(const std::string& scenario, const std::vector<std::string>& paths) const {
    return simulate_sweep(packs(), scenario, paths, {}).value().load.cost.seconds;
  }

 private:
  PacksOnDrive packs() const { return {*io_, "packs", files_, positions_, drive_}; }

  DriveProfile drive_ = find_profile("wd-black-1tb").value();
  std::unique_ptr<VirtualPacks> io_;
  std::vector<FileToPlace> files_;
  std::vector<uint64_t> positions_;
};

void expect_demand_as_forecast(const Game& game, std::optional<double> budget_ratio) {
  const Layout layout = game.plan(budget_ratio);
  const OnDisk disk(layout);
  double forecast_s = 0;
  double simulated_s = 0;
  for (size_t i = 0; i < game.profile.scenarios.size(); ++i) {
    const PredictedLoad& predicted = *layout.scenarios[i].predicted;
    ASSERT_FALSE(predicted.is_held_out);
    const double s = disk.demand_s(
        layout.scenarios[i].name, game.paths(game.profile.scenarios[i].runs[0].assets.to_vector()));
    EXPECT_NEAR(predicted.demand_s, s, kAgrees * s) << layout.scenarios[i].name;
    forecast_s += predicted.demand_s;
    simulated_s += s;
  }
  EXPECT_NEAR(forecast_s, simulated_s, kAgrees / 2 * simulated_s);
}

TEST(Forecast, of_maps_asked_for_one_by_one_is_what_simulation_says) {
  expect_demand_as_forecast(twelve_maps(), 1.0);
}

TEST(Forecast, with_copies_is_of_the_copies_that_the_reader_takes) {
  expect_demand_as_forecast(twelve_maps(), 3.0);
}

TEST(Forecast, of_threads_that_interleave_differently_counts_the_way_back) {
  Game game(800, 20e3, 300e3);
  game.add("one", interleaved(800, 4, game.random));
  game.add("two", interleaved(800, 4, game.random));
  expect_demand_as_forecast(game, 1.0);
}

TEST(Forecast, of_sweeps_is_what_simulation_says) {
  for (const double budget_ratio : {1.0, 3.0}) {
    const Game game = twelve_maps();
    const Layout layout = game.plan(budget_ratio);
    const OnDisk disk(layout);
    for (size_t i = 0; i < game.profile.scenarios.size(); ++i) {
      const LaidScenario& scenario = layout.scenarios[i];
      const double s = disk.sweep_s(scenario.name, {});
      EXPECT_NEAR(scenario.predicted->sweep_s, s, kAgrees * s) << scenario.name;
    }
  }
}

// Each map is left out in turn, and read from packs that were planned without it.
TEST(Forecast, of_maps_that_nobody_recorded_is_what_simulation_says) {
  constexpr uint32_t kMaps = 6;
  Game game(400, 2e3, 300e3);
  for (uint32_t map = 0; map < kMaps; ++map) {
    std::vector<uint32_t> run;
    for (uint32_t asset = 0; asset < 400; ++asset)
      if (asset < 150 || (asset < 220 && game.random.below(2) == 0) || asset % kMaps == map)
        run.push_back(asset);
    game.random.shuffle(run);
    game.add(fmt::format("map/{}", map), std::move(run));
  }
  const Layout layout = game.plan(1.0);
  ASSERT_EQ(layout.scenarios.back().name, "map/typical");
  double simulated_s = 0;
  for (size_t map = 0; map < kMaps; ++map) {
    Game others = game;
    others.profile.scenarios.erase(others.profile.scenarios.begin() +
                                   static_cast<std::ptrdiff_t>(map));
    const OnDisk disk(others.plan(1.0));
    const ProfiledScenario& left_out = game.profile.scenarios[map];
    simulated_s +=
        disk.sweep_s(left_out.name, game.paths(left_out.runs[0].assets.to_vector())) / kMaps;
  }
  EXPECT_NEAR(layout.scenarios.back().predicted->sweep_s, simulated_s, kAgrees * simulated_s);
}

// Each run reads half of the small assets, and the other run doesn't read that half. If a run is
// held out, the other run's half is swept, and its own half lies together.
TEST(Forecast, small_assets_that_lie_together_cost_one_jump_together) {
  Game game(20'000, 20, 400);
  std::vector<std::vector<uint32_t>> halves(2);
  for (uint32_t asset = 0; asset < 20'000; ++asset) {
    if (asset % 200 == 0) game.content.assets[asset].place.size_bytes = 500'000;
    for (uint32_t half = 0; half < 2; ++half)
      if (asset % 200 == 0 || asset / 10'000 == half) halves[half].push_back(asset);
  }
  double simulated_s = 0;
  for (size_t i = 0; i < 2; ++i) {
    Game half = game;
    half.add("map", halves[i]);
    simulated_s += OnDisk(half.plan(1.0)).sweep_s("map", half.paths(halves[1 - i])) / 2;
  }
  game.add("map", halves[0]);
  game.add("map", halves[1]);
  const PredictedLoad predicted = *game.plan(1.0).scenarios[0].predicted;
  EXPECT_TRUE(predicted.is_held_out);
  EXPECT_DOUBLE_EQ(predicted.unseen_assets, 9950);
  EXPECT_LT(simulated_s, 0.6);
  EXPECT_NEAR(predicted.sweep_s, simulated_s, kAgrees * simulated_s);
}

}  // namespace
}  // namespace seekless
