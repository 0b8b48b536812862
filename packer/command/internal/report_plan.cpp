#include "packer/command/internal/report_plan.h"

#include <string_view>

#include <fmt/format.h>

#include "packer/layout/layout.h"

namespace seekless {
namespace {

bool is_made_from(const PackReport& pack, const LaidPack& laid) {
  return pack.name == laid.name + ".skl" && pack.assets == laid.assets.size() &&
         pack.content_bytes == laid.size_bytes();
}

Result<void> check_belongs(const Layout& layout, const std::string& file, const Report& report) {
  const auto refuse = [&](std::string expected, std::string found) {
    return damaged({.file = file,
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .advice = "give the layout that the set was packed from, or pack this one"});
  };
  if (layout.packs.size() != report.packs.size())
    return refuse(fmt::format("the set's {} packs", report.packs.size()),
                  fmt::format("{}", layout.packs.size()));
  for (size_t i = 0; i < layout.packs.size(); ++i) {
    const PackReport& pack = report.packs[i];
    const LaidPack& laid = layout.packs[i];
    if (!is_made_from(pack, laid))
      return refuse(fmt::format("pack {} of the set, {} with {} assets of {} bytes", i, pack.name,
                                pack.assets, pack.content_bytes),
                    fmt::format("'{}' with {} assets of {} bytes", laid.name, laid.assets.size(),
                                laid.size_bytes()));
  }
  return {};
}

}  // namespace

Result<PlannedLoads> add_plan(const std::string& layout_path, Report& report) {
  SKL_TRY(const auto layout, read_layout(layout_path));
  SKL_TRY_DO(check_belongs(layout, layout_path, report));
  PlannedLoads loads;
  if (!layout.prediction) {
    report.warnings.push_back(
        fmt::format("{}: there are no predictions in it; 'seekless plan' writes layouts with them",
                    layout_path));
    return loads;
  }
  report.plan = plan_report_of(*layout.prediction);
  for (const LaidScenario& scenario : layout.scenarios)
    if (scenario.predicted) loads[scenario.name] = *scenario.predicted;
  return loads;
}

}  // namespace seekless
