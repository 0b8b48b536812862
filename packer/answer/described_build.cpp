#include "packer/answer/described_build.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/drive/drive.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

void add_loads(const Json& build, BuildReport& report) {
  for (const Json& scenario : build.at("scenarios")) {
    const Json& predicted = scenario.at("predicted");
    const Json& today = scenario.at("today");
    if (predicted.is_null() || today.is_null()) continue;
    ScenarioReport load;
    load.name = scenario.at("name").get<std::string>();
    load.runs = scenario.at("runs").get<uint32_t>();
    load.needed_bytes = predicted.at("needed_bytes").get<uint64_t>();
    load.before.seconds = today.at("seconds").get<double>();
    load.after.seconds = predicted.at("sweep_s").get<double>();
    load.bound_seconds = predicted.at("bound_s").get<double>();
    report.results.scenarios.push_back(std::move(load));
  }
}

void add_previous(const Json& last, BuildReport& report) {
  BuildReport before;
  add_loads(last, before);
  for (const ScenarioReport& load : before.results.scenarios)
    report.previous.push_back({load.name, load.after.seconds});
}

void add_plan(const Json& build, BuildReport& report) {
  const Json& prediction = build.at("prediction");
  if (prediction.is_null()) return;
  PlanReport& plan = report.results.plan.emplace();
  plan.drive = prediction.at("drive").get<std::string>();
  plan.reasons = prediction.at("reasons").get<std::string>();
  plan.chosen.copied_bytes = prediction.at("copied_bytes").get<uint64_t>();
  plan.chosen.seconds = prediction.at("seconds").get<double>();
  for (const Json& point : prediction.at("curve"))
    plan.curve.push_back({point.at("budget_ratio").get<double>(),
                          point.at("copied_bytes").get<uint64_t>(),
                          point.at("seconds").get<double>()});
  plan.chosen.size_ratio = size_ratio_of(plan.chosen.copied_bytes, plan.curve);
}

void add_built_packs(const Json& build, BuildReport& report) {
  for (const Json& pack : build.at("packs")) {
    BuiltPack built;
    built.name = pack.at("file").get<std::string>();
    built.fate = pack.at("fate") == "written" ? PackFate::written : PackFate::kept;
    built.reason =
        fmt::format("{}", fmt::join(pack.at("reasons").get<std::vector<std::string>>(), "; "));
    if (!pack.at("patch").is_null())
      built.patch_bytes = pack.at("patch").at("chunk_bytes").get<uint64_t>();
    report.built.push_back(std::move(built));
  }
  report.removed_packs = build.at("removed_packs").get<std::vector<std::string>>();
}

void add_patch(const Json& build, BuildReport& report) {
  const Json& patch = build.at("patch");
  if (patch.is_null()) return;
  report.patch = {.edited_bytes = patch.at("edited_bytes").get<uint64_t>(),
                  .grid_bytes = patch.at("grid_bytes").get<uint64_t>(),
                  .chunked_bytes = patch.at("chunk_bytes").get<uint64_t>(),
                  .moved_assets = build.at("changes").at("moved").get<uint64_t>()};
}

void add_relayout(const Json& build, BuildReport& report) {
  const Json& relayout = build.at("relayout");
  if (relayout.is_null()) return;
  report.relayout = {.saved_seconds = relayout.at("saved_s").get<double>(),
                     .patch_bytes = relayout.at("patch").at("chunk_bytes").get<uint64_t>()};
}

void add_warnings(const Json& build, BuildReport& report) {
  report.results.warnings = build.at("warnings").get<std::vector<std::string>>();
  const size_t gone = build.at("gone").size();
  if (gone > 0)
    report.results.warnings.push_back(
        fmt::format("{} that recordings read {} in the content any more, such as '{}': record anew",
                    counted(gone, "path"), gone == 1 ? "isn't" : "aren't",
                    build.at("gone").front().get<std::string>()));
  if (build.at("relayout_due").get<bool>())
    report.results.warnings.emplace_back(
        "The holes that earlier builds left have grown: a new layout (--relayout) is due.");
}

BuildReport describe(const std::string& build_file, const DriveProfile& drive, const Json& build,
                     const std::optional<Json>& last) {
  BuildReport report;
  report.build_file = build_file;
  report.basis = LoadBasis::predicted;
  report.results.drive = drive.name;
  report.results.capacity_bytes = Drive(drive).capacity_bytes();
  report.assets = build.at("inputs").at("assets").get<uint64_t>();
  report.content_bytes = build.at("inputs").at("bytes").get<uint64_t>();
  add_loads(build, report);
  if (last) add_previous(*last, report);
  add_plan(build, report);
  add_built_packs(build, report);
  add_patch(build, report);
  add_relayout(build, report);
  add_warnings(build, report);
  return report;
}

}  // namespace

Result<BuildReport> describe_build(const std::string& build_file, const DriveProfile& drive,
                                   const Json& build, const std::optional<Json>& last,
                                   const std::string& file) {
  try {
    return describe(build_file, drive, build, last);
  } catch (const Json::exception& error) {
    return damaged({.file = file,
                    .expected = "what the last build told",
                    .found = error.what(),
                    .advice = "remove its folder, and build again"});
  }
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
