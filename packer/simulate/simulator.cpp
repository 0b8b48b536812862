#include "packer/simulate/simulator.h"

#include <algorithm>
#include <utility>

namespace seekless {

Result<Simulator> Simulator::create(SimulatorSetup setup) {
  Simulator simulator(std::move(setup));
  const SimulatorSetup& of = simulator.setup_;
  if (of.packs) {
    SKL_TRY(auto files, files_of_set(*of.packs, of.folder));
    simulator.pack_files_ = std::move(files);
  }
  SKL_TRY_DO(simulator.place_content());
  return simulator;
}

Result<void> Simulator::place_content() {
  const std::vector<FileToPlace> files =
      setup_.content ? files_of(*setup_.content) : std::vector<FileToPlace>();
  SKL_TRY_DO(check_places(setup_.rules, files, pack_files_));
  if (!setup_.content) return {};
  std::vector<ReplayDrive> drives;
  for (const DriveProfile& drive : setup_.drives) {
    SKL_TRY(const auto positions, place_files(files, setup_.rules, drive));
    drives.push_back({drive, assumed_at(files, positions)});
  }
  replay_ = std::make_unique<BaselineReplay>(*setup_.content, std::move(drives), setup_.options);
  return {};
}

std::vector<ScenarioLoads> Simulator::loads_today(size_t drive) const {
  std::vector<ScenarioLoads> scenarios;
  if (!replay_) {
    for (const auto& [name, runs] : scenarios_.counts())
      scenarios.push_back({.name = name, .runs = runs, .today = {}, .packs = {}});
    return scenarios;
  }
  for (const auto& [name, runs] : replay_->runs()) {
    scenarios.push_back({.name = name,
                         .runs = static_cast<uint32_t>(runs.size()),
                         .today = median_run(runs, drive).loads[drive],
                         .packs = {}});
  }
  return scenarios;
}

Result<PackedLoads> Simulator::loads_from_packs(size_t drive,
                                                std::vector<std::string>& warnings) const {
  const DriveProfile& profile = setup_.drives[drive];
  SKL_TRY(const auto positions, place_files(pack_files_, setup_.rules, profile));
  const PacksOnDrive packs = {*setup_.packs, setup_.folder, pack_files_, positions, profile};
  if (!replay_) return swept_loads(packs, scenarios_.counts(), setup_.options, warnings);
  return packed_loads(packs, setup_.policy, replay_->runs(), drive, *setup_.content, setup_.options,
                      warnings);
}

Result<std::vector<std::vector<ScenarioLoads>>> Simulator::loads(
    std::vector<std::string>& warnings) const {
  if (!replay_ && scenarios_.counts().empty())
    return damaged({.file = "the traces", .expected = "reads", .found = "none"});
  std::vector<std::vector<ScenarioLoads>> loads;
  for (size_t i = 0; i < setup_.drives.size(); ++i) {
    std::vector<ScenarioLoads>& scenarios = loads.emplace_back(loads_today(i));
    if (!setup_.packs) continue;
    std::vector<std::string> told;
    auto packed = loads_from_packs(i, told);
    for (std::string& warning : told)
      if (std::ranges::find(warnings, warning) == warnings.end())
        warnings.push_back(std::move(warning));
    if (!packed) return std::unexpected(packed.error());
    for (ScenarioLoads& scenario : scenarios)
      if (const auto found = packed->find(scenario.name); found != packed->end())
        scenario.packs = std::move(found->second);
    if (!replay_) std::erase_if(scenarios, [](const ScenarioLoads& of) { return !of.packs; });
  }
  return loads;
}

}  // namespace seekless
