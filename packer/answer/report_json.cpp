// Writes the report as JSON for machines, as in schemas/results/report.schema.json.
#include <nlohmann/json.hpp>

#include "packer/answer/pack_uses.h"
#include "packer/answer/report.h"
#include "packer/answer/report_totals.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kReportVersion = 1;

// Makes names valid UTF-8, since they come from foreign file systems and the JSON library refuses
// anything else.
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

// Adds the keys that scenarios and their total share.
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
  if (scenario.planned)
    json["predicted"] = {{"sweep_seconds", duration_or_zero(scenario.planned->sweep_s)},
                         {"demand_seconds", duration_or_zero(scenario.planned->demand_s)},
                         {"held_out", scenario.planned->is_held_out}};
  return json;
}

Json reads_json(const ScenarioReads& reads, const std::vector<PackReport>& packs) {
  Json of_packs = Json::array();
  for (const PackUse& use : pack_uses(reads, packs))
    of_packs.push_back({{"pack", valid_utf8(packs[use.pack].name)},
                        {"read_bytes", use.read_bytes},
                        {"needed_bytes", use.needed_bytes},
                        {"copied_bytes", use.copied_bytes}});
  return {{"scenario", valid_utf8(reads.name)}, {"packs", std::move(of_packs)}};
}

Json price_json(const CopyPrice& price) {
  return {{"size_ratio", duration_or_zero(price.size_ratio)},
          {"copied_bytes", price.copied_bytes},
          {"seconds", duration_or_zero(price.seconds)}};
}

Json plan_json(const PlanReport& plan) {
  Json curve = Json::array();
  for (const CopyPrice& price : plan.curve) curve.push_back(price_json(price));
  return {{"drive", valid_utf8(plan.drive)},
          {"reasons", valid_utf8(plan.reasons)},
          {"chosen", price_json(plan.chosen)},
          {"curve", std::move(curve)}};
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
  Json reads = Json::array();
  for (const ScenarioReads& of : report.reads) reads.push_back(reads_json(of, report.packs));
  Json json = {{"seekless", "report"},
               {"version", kReportVersion},
               {"verdict", report.verdict ? to_json(*report.verdict) : Json()},
               {"drive", valid_utf8(report.drive)},
               {"capacity_bytes", report.capacity_bytes},
               {"assumptions", strings(report.assumptions)},
               {"warnings", strings(report.warnings)},
               {"scenarios", std::move(scenarios)},
               {"scenarios_total", std::move(load_total)},
               {"packs", std::move(packs)},
               {"packs_total", std::move(pack_total)},
               {"reads", std::move(reads)}};
  if (report.plan) json["plan"] = plan_json(*report.plan);
  return json;
}

}  // namespace seekless
