// Measures the planner over several scenarios:
//   bench_plan small [COUNT]   copies and order of a few atoms against exhaustive search
//   bench_plan scale [SHARE]   whole plans of 100 scenarios and up to 200,000 assets, 50 runs each
//   bench_plan runs [SHARE]    one of 100 scenarios and 200,000 assets, 500 runs each
//   bench_plan overlap [SHARE] 50 scenarios of 4 runs; each reads a tenth of up to 5,000 assets
//   bench_plan assets [SHARE]  100 scenarios of 6 runs each, and 10^5 to 10^6 assets
// Prints tables. Exit status 1 if a limit is missed.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "packer/base/none.h"
#include "packer/plan/arrange.h"
#include "packer/plan/planner.h"
#include "tests/bench/peak_memory.h"
#include "tests/plan/exhaustive.h"
#include "tests/plan/random_instance.h"

namespace seekless {
namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double from, double to) {
  return from + (to - from) * static_cast<double>(random() >> 11) / 9007199254740992.0;
}

// Returns the processor time of all threads. Two idle cores would take half as long.
double cpu_seconds() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool bench_small(uint64_t count) {
  fmt::print("{} instances of up to 6 atoms and 4 scenarios, against exhaustive search\n", count);
  fmt::print("{:>7} {:>9} {:>8} {:>8} {:>10}\n", "budget", "optimal %", "mean", "worst", "ms each");
  bool passed = true;
  for (const double budget : {1.0, 1.05, 1.15, 1.4, 2.0}) {
    uint64_t optimal = 0;
    double sum = 0;
    double worst = 1;
    double ours_s = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
      const test::RandomInstance instance(seed);
      const auto budget_bytes =
          static_cast<uint64_t>((budget - 1) * static_cast<double>(instance.content_bytes));
      const auto start = std::chrono::steady_clock::now();
      const Arrangement found =
          arrange(instance.content, {.gain_s_per_gb = 0, .budget_bytes = budget_bytes});
      ours_s += seconds_since(start);
      const double best = test::ExhaustiveSearch(instance.content, budget_bytes).least_seconds();
      const double ours = ArrangementCost(instance.content).weighted_seconds(found);
      const double ratio = best > 0 ? ours / best : 1;
      optimal += ratio < 1 + 1e-9 ? 1 : 0;
      sum += ratio;
      worst = std::max(worst, ratio);
    }
    const double n = static_cast<double>(count);
    const double optimal_percent = 100 * static_cast<double>(optimal) / n;
    fmt::print("{:>7.2f} {:>9.1f} {:>8.4f} {:>8.4f} {:>10.2f}\n", budget, optimal_percent, sum / n,
               worst, 1000 * ours_s / n);
    passed = passed && sum / n <= 1.03 && optimal_percent >= 95 && (budget > 1 || worst <= 1.15);
  }
  return passed;
}

using ReadByScenario = std::vector<std::vector<uint32_t>>;  // lists of assets

// Makes scenarios with assets that only they read, assets that a few share, and assets that nearly
// all share.
ReadByScenario chapters(uint32_t scenarios, uint32_t assets, Random& random) {
  ReadByScenario of(scenarios);
  for (uint32_t i = 0; i < assets; ++i) {
    const uint64_t kind = random() % 100;
    const auto first = static_cast<uint32_t>(random() % scenarios);
    if (kind < 15) continue;  // nobody reads these
    if (kind < 70) {
      of[first].push_back(i);
    } else if (kind < 98) {  // shared by neighbours: a chapter's levels
      const uint64_t count = 2 + random() % 6;
      for (uint32_t k = 0; k < count; ++k) of[(first + k) % scenarios].push_back(i);
    } else {
      for (uint32_t k = 0; k < scenarios; ++k)
        if (random() % 10 != 0) of[k].push_back(i);
    }
  }
  return of;
}

// Makes scenarios that each read a random tenth of the assets, so that nearly every asset has
// readers that no other asset has.
ReadByScenario random_tenths(uint32_t scenarios, uint32_t assets, Random& random) {
  ReadByScenario of(scenarios);
  for (std::vector<uint32_t>& read : of)
    for (uint32_t i = 0; i < assets; ++i)
      if (random() % 10 == 0) read.push_back(i);
  return of;
}

// In the runs of each scenario, neighbours swap, some assets are missing and some are read out of
// turn.
struct Game {
  Profile profile;
  Content content;

  using Maker = ReadByScenario (*)(uint32_t scenarios, uint32_t assets, Random& random);

  Game(uint32_t scenarios, uint32_t assets, uint32_t runs, Maker make = chapters) {
    Random random(assets);
    content.sources.push_back({.path = "game.pak", .size_bytes = 1, .kind = SourceKind::zip});
    for (uint32_t i = 0; i < assets; ++i) {
      Asset& asset = content.assets.emplace_back();
      asset.path = content.paths.add(fmt::format("data/{:08}", i));
      asset.place.size_bytes =
          static_cast<uint64_t>(std::exp(uniform(random, std::log(2e3), std::log(2e6))));
      asset.place.entry = i;
    }
    numbers_.assign(assets, kNone);
    ReadByScenario of = make(scenarios, assets, random);
    for (uint32_t s = 0; s < scenarios; ++s) {
      std::vector<uint32_t>& order = of[s];
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
      ProfiledScenario& scenario = profile.scenarios.emplace_back();
      scenario.name = fmt::format("map/{:03}", s);
      for (uint32_t r = 0; r < runs; ++r) add_run(scenario, order, r, random);
    }
  }

  // Numbers assets as recordings do, in the order in which runs first read them.
  uint32_t number_of(uint32_t asset) {
    if (numbers_[asset] == kNone) {
      numbers_[asset] = static_cast<uint32_t>(profile.assets.size());
      profile.assets.emplace_back(content.assets[asset].path);
    }
    return numbers_[asset];
  }

  uint64_t reads() const {
    uint64_t reads = 0;
    for (const ProfiledScenario& scenario : profile.scenarios)
      for (const ProfiledRun& run : scenario.runs) reads += run.assets.size();
    return reads;
  }

 private:
  void add_run(ProfiledScenario& scenario, std::vector<uint32_t> order, uint32_t number,
               Random& random) {
    for (size_t i = 0; i + 1 < order.size(); ++i)
      if (random() % 4 == 0) std::swap(order[i], order[i + 1]);
    std::erase_if(order, [&](uint32_t) { return random() % 50 == 0; });
    if (random() % 5 == 0 && order.size() > 2)
      std::rotate(order.begin(),
                  order.begin() + static_cast<std::ptrdiff_t>(random() % order.size()),
                  order.end());
    for (uint32_t& asset : order) asset = number_of(asset);
    scenario.runs.push_back({.trace = fmt::format("run{}", number), .assets = order});
  }

  std::vector<uint32_t> numbers_;  // each asset's number in the profile
};

bool bench_scale(uint32_t runs, double most_assets, std::initializer_list<double> parts) {
  fmt::print("Whole plans: 100 scenarios of {} runs each, with predictions held out\n", runs);
  fmt::print("{:>8} {:>10} {:>8} {:>8} {:>9} {:>9} {:>12}\n", "assets", "reads", "wall s", "CPU s",
             "x before", "peak MiB", "CPU ns/read");
  double seconds = 0;
  for (const double part : parts) {
    const auto assets = static_cast<uint32_t>(most_assets * part);
    const Game game(100, assets, runs);
    const uint64_t reads = game.reads();
    const auto start = std::chrono::steady_clock::now();
    const double cpu_start = cpu_seconds();
    PlanOptions options;
    options.threads = 2;
    const Plan plan = plan_layout(game.profile, game.content, options);
    const double wall_seconds = seconds_since(start);
    const double before = std::exchange(seconds, cpu_seconds() - cpu_start);
    fmt::print("{:>8} {:>10} {:>8.1f} {:>8.1f} {:>9} {:>9} {:>12.0f}\n", assets, reads,
               wall_seconds, seconds, before > 0 ? fmt::format("{:.2f}", seconds / before) : "-",
               peak_mib(), seconds * 1e9 / static_cast<double>(reads));
  }
  // The limit is for two cores with nothing else to do, which is rarely the case.
  return seconds / 2 <= 60 * most_assets / 200'000 && peak_mib() <= 2048;
}

double held_out_s(const Plan& plan) {
  double sum = 0;
  for (const LaidScenario& scenario : plan.layout.scenarios)
    if (scenario.predicted) sum += scenario.predicted->sweep_s;
  return sum;
}

bool bench_overlap(double share) {
  fmt::print("Whole plans: 50 scenarios of 4 runs each, of which each reads a random tenth\n");
  fmt::print("{:>8} {:>10} {:>8} {:>12} {:>11} {:>10}\n", "assets", "reads", "CPU s", "CPU us/read",
             "held-out s", "copied MB");
  for (const double part : {0.1, 0.2, 0.4, 1.0}) {
    const auto assets = static_cast<uint32_t>(5'000 * part * share);
    const Game game(50, assets, 4, random_tenths);
    const double start_s = cpu_seconds();
    PlanOptions options;
    options.threads = 2;
    const Plan plan = plan_layout(game.profile, game.content, options);
    const double took_s = cpu_seconds() - start_s;
    const auto reads = static_cast<double>(game.reads());
    fmt::print("{:>8} {:>10} {:>8.2f} {:>12.1f} {:>11.4f} {:>10.1f}\n", assets, reads, took_s,
               took_s * 1e6 / reads, held_out_s(plan),
               static_cast<double>(plan.layout.prediction->copied_bytes) / 1e6);
  }
  return true;
}

bool bench_runs(double share) {
  fmt::print("A whole plan: 100 scenarios of 500 runs each, with predictions held out\n");
  const auto assets = static_cast<uint32_t>(200'000 * share);
  const Game game(100, assets, 500);
  const double recorded_mib = peak_mib();
  const double start_s = cpu_seconds();
  PlanOptions options;
  options.threads = 2;
  const Plan plan = plan_layout(game.profile, game.content, options);
  fmt::print("{:>8} {:>10} {:>8} {:>13} {:>9}\n", "assets", "reads", "CPU s", "recorded MiB",
             "peak MiB");
  fmt::print("{:>8} {:>10} {:>8.1f} {:>13} {:>9}\n", assets, game.reads(), cpu_seconds() - start_s,
             recorded_mib, peak_mib());
  return peak_mib() <= 2048;
}

}  // namespace
}  // namespace seekless

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  const double number = count > 2 ? std::atof(arguments[2]) : 0;
  bool passed = false;
  if (what == "small") {
    passed = seekless::bench_small(number > 0 ? static_cast<uint64_t>(number) : 200);
  } else if (what == "scale") {
    passed =
        seekless::bench_scale(50, 200'000 * (number > 0 ? number : 1), {0.125, 0.25, 0.5, 1.0});
  } else if (what == "assets") {
    passed = seekless::bench_scale(6, 1'000'000 * (number > 0 ? number : 1), {0.1, 0.25, 0.5, 1.0});
  } else if (what == "overlap") {
    passed = seekless::bench_overlap(number > 0 ? number : 1);
  } else if (what == "runs") {
    passed = seekless::bench_runs(number > 0 ? number : 1);
  } else {
    fmt::print(stderr, "usage: bench_plan small [COUNT] | scale|runs|overlap|assets [SHARE]\n");
    return 2;
  }
  if (!passed) fmt::print("a limit is missed\n");
  return passed ? 0 : 1;
}
