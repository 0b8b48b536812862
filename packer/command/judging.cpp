#include "packer/command/judging.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/command/drive_options.h"
#include "packer/command/packed_loads.h"
#include "packer/host/block_device.h"
#include "packer/report/plain_text.h"
#include "packer/simulate/disk_map.h"

namespace seekless {
namespace {

// Stands for whatever solid state drive the content lies on: on all of them there is nothing to
// win.
constexpr const char* kAnySolidState = "sata-ssd";

double least_besides_s(const std::vector<ReplayedRun>& runs) {
  double least = runs.front().besides_seconds;
  for (const ReplayedRun& run : runs) least = std::min(least, run.besides_seconds);
  return least;
}

const SimulatedLoad& median_of(const std::vector<ReplayedRun>& runs, size_t drive) {
  std::vector<const SimulatedLoad*> loads;
  for (const ReplayedRun& run : runs) loads.push_back(&run.loads[drive]);
  return median(loads);
}

}  // namespace

ChosenDrive judge_for(const DriveProfile& profile, bool is_asked_for) {
  return {profile,
          {.name = profile.name,
           .is_solid_state = std::holds_alternative<SolidState>(profile.hardware),
           .choice = is_asked_for ? DriveChoice::asked_for : DriveChoice::target,
           .found = ""}};
}

Result<ChosenDrive> drive_of_content(const std::string& name,
                                     const std::vector<std::string>& roots) {
  if (!name.empty()) {
    const auto profile = get_drive(name);
    if (!profile) return std::unexpected(profile.error());
    return judge_for(*profile, true);
  }
  // Of several, one that seeks counts.
  FoundDrive found = {.is_rotational = std::nullopt,
                      .description = "no --content says where the game lies"};
  for (const std::string& root : roots) {
    const FoundDrive of = drive_of_path(root);
    if (&root == &roots.front() || of.is_rotational.value_or(true)) found = of;
    if (found.is_rotational.value_or(false)) break;
  }
  const auto profile =
      get_drive(found.is_rotational.value_or(true) ? kTargetDrive : kAnySolidState);
  if (!profile) return std::unexpected(profile.error());
  ChosenDrive chosen = judge_for(*profile, false);
  chosen.judged.choice = found.is_rotational ? DriveChoice::content : DriveChoice::assumed;
  chosen.judged.found = found.description;
  return chosen;
}

std::vector<JudgedLoad> as_shipped(const BaselineReplay& replay, size_t drive) {
  std::vector<JudgedLoad> judged;
  for (const auto& [name, runs] : replay.runs()) {
    const SimulatedLoad& load = median_of(runs, drive);
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
  ShippedLoads shipped = {.loads = as_shipped(replay), .costs = {}};
  for (const auto& [name, runs] : replay.runs()) shipped.costs[name] = median_of(runs, 0).cost;
  // Recordings by the reader in a game name assets of packs: where those lay before isn't in them.
  if (!replay.knows_sizes() || replay.runs().empty()) shipped.lacking = Lacking::sizes;
  return shipped;
}

std::unique_ptr<BaselineReplay> replay_as_shipped(const Content& content,
                                                  const DriveProfile& drive) {
  auto positions = place_files(files_of(content), {}, drive);
  if (!positions) return nullptr;
  return std::make_unique<BaselineReplay>(
      content, std::vector<ReplayDrive>{{drive, *std::move(positions)}}, SimulationOptions{});
}

Result<Verdict> judge_packs(const BaselineReplay& replay, const Content& content,
                            const JudgedPacks& packs, const DriveProfile& drive,
                            const JudgedDrive& judged) {
  const auto files = files_of_set(packs.io, packs.folder);
  if (!files) return std::unexpected(files.error());
  const auto positions = place_files(*files, {}, drive);
  if (!positions) return judge(judged, Way::packs, {}, Lacking::room);
  const PacksOnDrive on_drive = {packs.io, packs.folder, *files, *positions, drive};
  std::vector<std::string> told;
  const auto packed = packed_loads(on_drive, PackPolicy::sweep, replay.runs(), 0, content,
                                   SimulationOptions{}, told);
  if (!packed) return std::unexpected(packed.error());
  SecondsAfter after;
  for (const auto& [name, load] : *packed) after[name] = load.load.cost.seconds;
  ShippedLoads shipped = shipped_loads(replay);
  set_after(shipped.loads, after);
  return judge(judged, Way::packs, std::move(shipped.loads), shipped.lacking);
}

Result<SecondsAfter> swept_seconds(const JudgedPacks& packs, const DriveProfile& drive) {
  const auto files = files_of_set(packs.io, packs.folder);
  if (!files) return std::unexpected(files.error());
  const auto positions = place_files(*files, {}, drive);
  if (!positions) return SecondsAfter{};
  const auto scenarios = scenarios_of_set(packs.io, packs.folder);
  if (!scenarios) return std::unexpected(scenarios.error());
  const PacksOnDrive on_drive = {packs.io, packs.folder, *files, *positions, drive};
  SecondsAfter after;
  for (const std::string& scenario : *scenarios) {
    const auto swept = simulate_sweep(on_drive, scenario, SimulationOptions{});
    if (!swept) return std::unexpected(swept.error());
    after[scenario] = swept->load.cost.seconds;
  }
  return after;
}

void set_after(std::vector<JudgedLoad>& loads, const SecondsAfter& after) {
  for (JudgedLoad& load : loads)
    if (const auto found = after.find(load.name); found != after.end())
      load.after_s = found->second;
}

std::string verdict_lines(const Verdict& verdict, size_t columns) {
  constexpr size_t kMostColumns = 120;
  std::string text;
  for (const std::string& line :
       wrap(clean_line(to_text(verdict)), std::clamp<size_t>(columns, 80, kMostColumns)))
    text += line + "\n";
  return text;
}

}  // namespace seekless
