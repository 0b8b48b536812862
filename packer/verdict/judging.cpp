#include "packer/verdict/judging.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "packer/host/block_device.h"
#include "packer/simulate/disk_map.h"
#include "packer/simulate/packed_loads.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

// Stands for any SSD that the content lies on, because on all of them there is nothing to gain.
constexpr const char* kAnySolidState = "sata-ssd";

ShippedLoads loads_of(const std::vector<RunFigures>& runs) {
  ShippedLoads shipped;
  std::map<std::string, std::vector<const RunFigures*>> by_scenario;
  for (const RunFigures& run : runs)
    if (run.cold && run.reads > run.whole_files) by_scenario[run.scenario].push_back(&run);
  for (auto& [name, of] : by_scenario) {
    std::ranges::stable_sort(of, {}, [](const auto* run) { return run->cold->cost.seconds; });
    const ColdFigures& cold = *of[(of.size() - 1) / 2]->cold;
    uint64_t besides_ns = UINT64_MAX;
    for (const RunFigures* run : of)
      besides_ns =
          std::min(besides_ns, run->time.span_ns - std::min(run->time.span_ns, run->time.wait_ns));
    shipped.loads.push_back({.name = name,
                             .runs = static_cast<uint32_t>(of.size()),
                             .as_shipped_s = cold.cost.seconds,
                             .bound_s = cold.bound_seconds,
                             .after_s = std::nullopt,
                             .besides_s = static_cast<double>(besides_ns) / 1e9});
  }
  if (!shipped.loads.empty()) return shipped;
  for (const RunFigures& run : runs)
    if (run.reads > 0)
      shipped.lacking = run.reads > run.whole_files ? Lacking::room : Lacking::sizes;
  return shipped;
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
    SKL_TRY(const auto profile, get_drive(name));
    return judge_for(profile, true);
  }
  // A disk that seeks is preferred to other drives.
  FoundDrive found = {.is_rotational = std::nullopt,
                      .description = "no --content says where the game lies"};
  for (const std::string& root : roots) {
    const FoundDrive of = drive_of_path(root);
    if (&root == &roots.front() || of.is_rotational.value_or(true)) found = of;
    if (found.is_rotational.value_or(false)) break;
  }
  SKL_TRY(const auto profile,
          get_drive(found.is_rotational.value_or(true) ? kTargetDrive : kAnySolidState));
  ChosenDrive chosen = judge_for(profile, false);
  chosen.judged.choice = found.is_rotational ? DriveChoice::content : DriveChoice::assumed;
  chosen.judged.found = found.description;
  return chosen;
}

Verdict judge_runs(const std::vector<RunFigures>& runs, std::optional<ShippedLoads> shipped,
                   const JudgedDrive& drive, const std::string& scenario) {
  ShippedLoads of = shipped ? *std::move(shipped) : loads_of(runs);
  if (of.loads.empty()) of.lacking = loads_of(runs).lacking;
  if (!scenario.empty())
    std::erase_if(of.loads, [&](const JudgedLoad& load) { return load.name != scenario; });
  return judge(drive, Way::order, std::move(of.loads), of.lacking, of.fit);
}

Verdict judge_packed(const BaselineReplay& replay, const PackedLoads& packed,
                     const JudgedDrive& judged) {
  SecondsAfter after;
  for (const auto& [name, load] : packed) after[name] = load.load.cost.seconds;
  ShippedLoads shipped = shipped_loads(replay);
  set_after(shipped.loads, after);
  return judge(judged, Way::packs, std::move(shipped.loads), shipped.lacking, shipped.fit);
}

Result<Verdict> judge_packs(const BaselineReplay& replay, const Content& content,
                            const JudgedPacks& packs, const DriveProfile& drive,
                            const JudgedDrive& judged) {
  SKL_TRY(const auto files, files_of_set(packs.io, packs.folder));
  const auto positions = place_files(files, {}, drive);
  if (!positions) return judge(judged, Way::packs, {}, Lacking::room);
  const PacksOnDrive on_drive = {packs.io, packs.folder, files, *positions, drive};
  std::vector<std::string> told;
  SKL_TRY(const auto packed, packed_loads(on_drive, PackPolicy::sweep, replay.runs(), 0, content,
                                          SimulationOptions{}, told));
  return judge_packed(replay, packed, judged);
}

Result<SecondsAfter> swept_seconds(const JudgedPacks& packs, const DriveProfile& drive) {
  SKL_TRY(const auto files, files_of_set(packs.io, packs.folder));
  const auto positions = place_files(files, {}, drive);
  if (!positions) return SecondsAfter{};
  SKL_TRY(const auto scenarios, scenarios_of_set(packs.io, packs.folder));
  const PacksOnDrive on_drive = {packs.io, packs.folder, files, *positions, drive};
  SecondsAfter after;
  for (const std::string& scenario : scenarios) {
    SKL_TRY(const auto swept, simulate_sweep(on_drive, scenario, {}, SimulationOptions{}));
    after[scenario] = swept.load.cost.seconds;
  }
  return after;
}

std::string verdict_lines(const Verdict& verdict, size_t columns) {
  return paragraph(verdict.text, table_columns(columns));
}

}  // namespace seekless
