#include "packer/answer/profile_answer.h"

#include <set>

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

size_t count_assets(const ProfiledScenario& scenario) {
  std::set<uint32_t> assets;
  for (const ProfiledRun& run : scenario.runs) assets.insert(run.assets.begin(), run.assets.end());
  return assets.size();
}

Json mapping_json(const TraceMapping& of) {
  Json unmapped = Json::array();
  for (const Mapping::Unmapped& one : of.mapping.unmapped)
    unmapped.push_back({{"path", one.path}, {"bytes", one.bytes}, {"reads", one.reads}});
  return {{"trace", of.trace},
          {"read_bytes", of.mapping.read_bytes},
          {"mapped_bytes", of.mapping.mapped_bytes()},
          {"unmapped", std::move(unmapped)}};
}

}  // namespace

std::string to_text(const ProfileAnswer& answer) {
  std::string text;
  for (const ProfiledScenario& scenario : answer.profile.scenarios)
    text +=
        fmt::format("{}{}: {}, {}", text.empty() ? "" : "\n", in_one_line(scenario.name),
                    counted(scenario.runs.size(), "run"), counted(count_assets(scenario), "asset"));
  return text;
}

Json to_json(const ProfileAnswer& answer) {
  Json scenarios = Json::array();
  for (const ProfiledScenario& scenario : answer.profile.scenarios)
    scenarios.push_back({{"name", scenario.name},
                         {"runs", scenario.runs.size()},
                         {"assets", count_assets(scenario)}});
  Json traces = Json::array();
  for (const TraceMapping& of : answer.traces) traces.push_back(mapping_json(of));
  return {{"command", "profile"},
          {"profile", answer.output},
          {"assets", answer.profile.assets.size()},
          {"scenarios", std::move(scenarios)},
          {"traces", std::move(traces)}};
}

}  // namespace seekless
