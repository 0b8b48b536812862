#include "packer/answer/described_build.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "packer/drive/drive.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

void add_loads(const BuildAnswer& build, BuildReport& report) {
  for (const BuiltScenario& scenario : build.scenarios) {
    if (!scenario.predicted || !scenario.today) continue;
    ScenarioReport load;
    load.name = scenario.name;
    load.runs = scenario.runs;
    load.needed_bytes = scenario.predicted->needed_bytes;
    load.before.seconds = scenario.today->seconds;
    load.after.seconds = scenario.predicted->sweep_s;
    load.bound_seconds = scenario.predicted->bound_s;
    report.results.scenarios.push_back(std::move(load));
  }
}

void add_previous(const BuildAnswer& last, BuildReport& report) {
  BuildReport before;
  add_loads(last, before);
  for (const ScenarioReport& load : before.results.scenarios)
    report.previous.push_back({load.name, load.after.seconds});
}

void add_patch(const BuildAnswer& build, BuildReport& report) {
  if (build.patch)
    report.patch = {.edited_bytes = build.patch->edited_bytes,
                    .grid_bytes = build.patch->grid_bytes,
                    .chunked_bytes = build.patch->chunk_bytes};
  if (build.relayout)
    report.relayout = {.saved_seconds = build.relayout->saved_s,
                       .patch_bytes = build.relayout->patch.chunk_bytes};
}

void add_warnings(const BuildAnswer& build, BuildReport& report) {
  report.results.warnings = build.warnings;
  if (const size_t gone = build.gone.size(); gone > 0)
    report.results.warnings.push_back(
        fmt::format("{} that recordings read {} in the content any more, such as '{}': record anew",
                    counted(gone, "path"), gone == 1 ? "isn't" : "aren't", build.gone.front()));
  if (build.is_relayout_due)
    report.results.warnings.emplace_back(
        "The holes that earlier builds left have grown: a new layout (--relayout) is due.");
}

}  // namespace

BuildReport describe_build(const BuildAnswer& build, const BuildAnswer* last,
                           const DriveProfile& drive) {
  BuildReport report;
  report.build_file = build.build_file;
  report.basis = LoadBasis::predicted;
  report.results.drive = drive.name;
  report.results.capacity_bytes = Drive(drive).capacity_bytes();
  report.assets = build.assets;
  report.content_bytes = build.content_bytes;
  add_loads(build, report);
  if (last != nullptr) add_previous(*last, report);
  if (build.prediction) report.results.plan = plan_report_of(*build.prediction);
  report.built = build.packs;
  report.removed_packs = build.removed_packs;
  add_patch(build, report);
  add_warnings(build, report);
  return report;
}

void add_assets(const Layout& layout, BuildReport& report) {
  constexpr size_t kMost = 100;
  std::map<std::string_view, AssetRoom> by_path;
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets) {
      AssetRoom& room = by_path[asset.path];
      room.copies = room.path.empty() ? 1 : room.copies + 1;
      room.path = std::string(asset.path);
      room.size_bytes = asset.size_bytes;
    }
  std::vector<AssetRoom> all;
  for (auto& [path, room] : by_path) all.push_back(std::move(room));
  const auto keep_most = [&](auto bytes_of) {
    std::ranges::stable_sort(all, std::ranges::greater{}, bytes_of);
    return std::vector<AssetRoom>(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, all.size())));
  };
  report.largest = keep_most([](const AssetRoom& room) { return room.size_bytes * room.copies; });
  report.most_copied =
      keep_most([](const AssetRoom& room) { return room.size_bytes * (room.copies - 1); });
}

}  // namespace seekless
