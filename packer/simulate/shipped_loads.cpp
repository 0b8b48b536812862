#include "packer/simulate/shipped_loads.h"

#include <algorithm>

#include "packer/base/each_once.h"

namespace seekless {
namespace {

double least_besides_s(const std::vector<ReplayedRun>& runs) {
  double least = runs.front().besides_seconds;
  for (const ReplayedRun& run : runs) least = std::min(least, run.besides_seconds);
  return least;
}

}  // namespace

std::vector<JudgedLoad> as_shipped(const BaselineReplay& replay, size_t drive) {
  std::vector<JudgedLoad> judged;
  for (const auto& [name, runs] : replay.runs()) {
    const SimulatedLoad& load = median_run(runs, drive).loads[drive];
    judged.push_back({.name = name,
                      .runs = static_cast<uint32_t>(runs.size()),
                      .as_shipped_s = load.cost.seconds,
                      .bound_s = load.bound_seconds,
                      .after_s = std::nullopt,
                      .besides_s = least_besides_s(runs),
                      .is_slowed = std::ranges::all_of(runs, &ReplayedRun::is_slowed)});
  }
  return judged;
}

ShippedLoads shipped_loads(const BaselineReplay& replay) {
  ShippedLoads shipped = {.loads = as_shipped(replay), .costs = {}, .fit = replay.fit()};
  for (const auto& [name, runs] : replay.runs())
    shipped.costs[name] = median_run(runs, 0).loads.front().cost;
  // Recordings that the runtime makes in a game name assets in packs, but not their former places.
  if (!replay.knows_sizes() || replay.runs().empty()) shipped.lacking = Lacking::sizes;
  return shipped;
}

std::unique_ptr<BaselineReplay> replay_as_shipped(const Content& content,
                                                  const DriveProfile& drive) {
  const std::vector<FileToPlace> files = files_of(content);
  const auto positions = place_files(files, {}, drive);
  if (!positions) return nullptr;
  std::vector<ReplayDrive> drives;
  drives.push_back({drive, assumed_at(files, *positions)});
  return std::make_unique<BaselineReplay>(content, std::move(drives), SimulationOptions{});
}

std::vector<uint32_t> sources_read(const KeptRuns& runs) {
  std::vector<uint32_t> read;
  for (size_t i = 0; i < runs.size(); ++i)
    for (const Event& event : runs.run(i).events) read.push_back(event.path);
  keep_each_once(read);
  return read;
}

ShippedLoads shipped_loads(const KeptRuns& runs, const Content& content, const DriveProfile& drive,
                           const LyingFiles& lying) {
  BaselineReplay replay(content, {{drive, lying}}, SimulationOptions{});
  for (size_t i = 0; i < runs.size(); ++i) replay.replay(runs.run(i));
  ShippedLoads shipped = shipped_loads(replay);
  shipped.fit = runs.fit();
  return shipped;
}

void set_after(std::vector<JudgedLoad>& loads, const SecondsAfter& after) {
  for (JudgedLoad& load : loads)
    if (const auto found = after.find(load.name); found != after.end())
      load.after_s = found->second;
}

}  // namespace seekless
