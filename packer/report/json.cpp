// The report for machines, as in schemas/report.schema.json.
#include <nlohmann/json.hpp>

#include "packer/report/figures.h"
#include "packer/report/plain_text.h"
#include "packer/report/report.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

// The serialiser refuses what isn't UTF-8, and names come from foreign file systems.
Json strings(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(valid_utf8(text));
  return out;
}

Json cost_json(const LoadCost& cost) {
  return {{"bytes", cost.bytes},
          {"reads", cost.reads},
          {"seeks", cost.seeks},
          {"seconds", duration_or_zero(cost.seconds)}};
}

Json ratio_json(double dividend, double divisor) {
  const auto value = ratio(duration_or_zero(dividend), duration_or_zero(divisor));
  return value ? Json(*value) : Json(nullptr);
}

// What scenarios and their total share.
void add_costs(Json& json, const auto& load) {
  json["needed_bytes"] = load.needed_bytes;
  json["before"] = cost_json(load.before);
  json["after"] = cost_json(load.after);
  json["bound_seconds"] = duration_or_zero(load.bound_seconds);
  json["times_faster"] = ratio_json(load.before.seconds, load.after.seconds);
  json["over_bound"] = ratio_json(load.after.seconds, load.bound_seconds);
}

Json scenario_json(const ScenarioReport& scenario) {
  Json json = {
      {"name", valid_utf8(scenario.name)}, {"runs", scenario.runs}, {"assets", scenario.assets}};
  add_costs(json, scenario);
  return json;
}

void add_bytes(Json& json, const auto& pack) {
  json["assets"] = pack.assets;
  json["file_bytes"] = pack.file_bytes;
  json["content_bytes"] = pack.content_bytes;
  json["padding_bytes"] = pack.padding_bytes;
}

}  // namespace

nlohmann::ordered_json to_json(const Report& report) {
  Json scenarios = Json::array();
  for (const ScenarioReport& scenario : report.scenarios)
    scenarios.push_back(scenario_json(scenario));
  Json packs = Json::array();
  for (const PackReport& pack : report.packs) {
    Json json = {{"name", valid_utf8(pack.name)}, {"kind", valid_utf8(pack.kind)}};
    add_bytes(json, pack);
    packs.push_back(std::move(json));
  }
  Json load_total = Json::object();
  add_costs(load_total, total_of(report.scenarios));
  Json pack_total = Json::object();
  add_bytes(pack_total, total_of(report.packs));
  return {{"seekless", "report"},
          {"version", kVersion},
          {"drive", valid_utf8(report.drive)},
          {"capacity_bytes", report.capacity_bytes},
          {"assumptions", strings(report.assumptions)},
          {"warnings", strings(report.warnings)},
          {"scenarios", std::move(scenarios)},
          {"scenarios_total", std::move(load_total)},
          {"packs", std::move(packs)},
          {"packs_total", std::move(pack_total)}};
}

}  // namespace seekless
