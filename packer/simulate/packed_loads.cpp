#include "packer/simulate/packed_loads.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

class Loader {
 public:
  Loader(const PacksOnDrive& packs, size_t drive, const Content& content,
         const SimulationOptions& options)
      : packs_(packs),
        number_(drive),
        content_(content),
        options_(options),
        drive_(packs.drive),
        access_ms_(drive_.average_access_ms()) {}

  Result<PackedLoad> load(const std::string& scenario, const std::vector<ReplayedRun>& runs,
                          PackPolicy policy, const std::set<std::string, std::less<>>& planned) {
    const bool is_planned = planned.contains(scenario);
    const bool has_typical = planned.contains(runtime::typical_of(scenario));
    if (policy == PackPolicy::demand || !(is_planned || has_typical))
      return middle_of(runs, [&](const ReplayedRun& run) {
        return simulate_demand(packs_, scenario, paths_of(run), options_);
      });
    if (!is_planned)
      return middle_of(runs, [&](const ReplayedRun& run) {
        return simulate_sweep(packs_, scenario, paths_of(run), options_);
      });
    const ReplayedRun& run = median_run(runs, number_);
    SKL_TRY(auto swept, simulate_sweep(packs_, scenario, paths_of(run), options_));
    PackedLoad load = {.load = std::move(swept.load), .assets = swept.assets, .is_swept = true};
    return with_missing(std::move(load), run);
  }

  // Fails if no load found anything in the packs, because then they belong to other content.
  Result<void> check() const {
    if (has_any_ || example_.empty()) return {};
    return damaged({.file = packs_.folder,
                    .expected = fmt::format("assets of the content, such as '{}'", example_),
                    .found = "none of those that a recording reads",
                    .advice = "give the content that it was planned from, with --keep-archives, "
                              "--take-apart and --fold-case as they were then"});
  }

 private:
  std::vector<std::string> paths_of(const ReplayedRun& run) const {
    std::vector<std::string> paths;
    paths.reserve(run.assets.size());
    for (const uint32_t asset : run.assets) paths.emplace_back(content_.assets[asset].path);
    return paths;
  }

  // Simulates every run, because it isn't known beforehand which one is the median.
  template <typename Simulate>
  Result<PackedLoad> middle_of(const std::vector<ReplayedRun>& runs, Simulate simulate) {
    std::vector<PackedLoad> loads;
    for (const ReplayedRun& run : runs) {
      SKL_TRY(auto simulated, simulate(run));
      auto load = with_missing({.load = std::move(simulated.load),
                                .assets = simulated.assets,
                                .is_typical = simulated.is_typical},
                               run);
      if (!load) return load;
      loads.push_back(*std::move(load));
    }
    std::ranges::stable_sort(loads, {}, [](const PackedLoad& of) { return of.load.cost.seconds; });
    return std::move(loads[(loads.size() - 1) / 2]);
  }

  // Adds the assets that the packs lack: they are read from their present places, piece by piece.
  Result<PackedLoad> with_missing(PackedLoad load, const ReplayedRun& run) {
    SKL_TRY(const auto missing, assets_not_in_set(packs_.io, packs_.folder, paths_of(run)));
    load.missing = missing.size();
    if (load.missing < run.assets.size()) has_any_ = true;
    if (load.missing > 0) example_ = content_.assets[run.assets[missing.front()]].path;
    for (const size_t number : missing) {
      const Place& place = content_.assets[run.assets[number]].place;
      load.load.cost.seconds += (access_ms_ + drive_.sweep_ms(0, place.stored_bytes)) / 1000;
      load.load.cost.bytes += place.stored_bytes;
      ++load.load.cost.reads;
      ++load.load.cost.seeks;
    }
    return load;
  }

  const PacksOnDrive& packs_;
  const size_t number_;  // index in ReplayedRun::loads
  const Content& content_;
  const SimulationOptions& options_;
  const Drive drive_;
  const double access_ms_;
  bool has_any_ = false;  // true if some load found an asset in the packs
  std::string example_;   // an asset that isn't in the packs
};

void warn_of(const std::string& folder, const std::string& scenario, const PackedLoad& load,
             PackPolicy policy, std::vector<std::string>& warnings) {
  if (policy == PackPolicy::sweep && !load.is_swept)
    warnings.push_back(fmt::format(
        "{}: '{}' wasn't planned; {} charged as asked for one by one. Plan and pack again with its "
        "trace",
        folder, scenario,
        load.is_typical ? "the typical scenario is swept, and what that doesn't bring is"
                        : "its assets are"));
  if (load.missing > 0)
    warnings.push_back(fmt::format(
        "{}: {} that '{}' reads {} in the packs: charged as read one by one, outside of them. Plan "
        "and pack again",
        folder, counted(load.missing, "asset"), scenario, load.missing == 1 ? "isn't" : "aren't"));
}

}  // namespace

Result<PackedLoads> packed_loads(const PacksOnDrive& packs, PackPolicy policy,
                                 const std::map<std::string, std::vector<ReplayedRun>>& runs,
                                 size_t drive, const Content& content,
                                 const SimulationOptions& options,
                                 std::vector<std::string>& warnings) {
  SKL_TRY(const auto planned, scenarios_of_set(packs.io, packs.folder));
  Loader loader(packs, drive, content, options);
  PackedLoads loads;
  for (const auto& [scenario, of] : runs) {
    SKL_TRY(auto load, loader.load(scenario, of, policy, planned));
    warn_of(packs.folder, scenario, load, policy, warnings);
    loads.emplace(scenario, std::move(load));
  }
  SKL_TRY_DO(loader.check());
  return loads;
}

Result<PackedLoads> swept_loads(const PacksOnDrive& packs,
                                const std::map<std::string, uint32_t>& scenarios,
                                const SimulationOptions& options,
                                std::vector<std::string>& warnings) {
  const auto planned = scenarios_of_set(packs.io, packs.folder);
  if (!planned) return std::unexpected(planned.error());
  PackedLoads loads;
  for (const auto& [scenario, runs] : scenarios) {
    if (!planned->contains(scenario)) {
      warnings.push_back(fmt::format(
          "{}: '{}' wasn't planned, so without --content it can't be told what it costs",
          packs.folder, scenario));
      continue;
    }
    SKL_TRY(auto swept, simulate_sweep(packs, scenario, {}, options));
    loads[scenario] = {.load = std::move(swept.load), .assets = swept.assets, .is_swept = true};
  }
  if (!loads.empty()) return loads;
  return failed({.file = packs.folder,
                 .expected = "a pack set with scenario '" + scenarios.begin()->first + "'",
                 .found = "none",
                 .advice = "plan and pack again with its trace, or give --content"});
}

}  // namespace seekless
