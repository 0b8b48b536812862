#include "packer/answer/plan_answer.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/layout/prediction_json.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestPlannedName = 32;

// The names of the items, all as wide.
template <typename Items>
std::vector<std::string> planned_names(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(clean_line(item.name));
  return name_cells(names, kLongestPlannedName);
}

std::string pack_table(const Plan& plan) {
  const Layout& layout = plan.layout;
  const std::vector<std::string> names = planned_names(layout.packs);
  const size_t columns = names.empty() ? 0 : columns_of(names.front());
  std::string text =
      fmt::format("{:<{}}  {:<6} {:>8} {:>9}\n", "pack", columns, "kind", "assets", "MB");
  for (size_t i = 0; i < std::min(kMostTableRows, layout.packs.size()); ++i) {
    const LaidPack& pack = layout.packs[i];
    text += fmt::format("{}  {:<6} {:>8} {:>9}\n", names[i], to_string(pack.kind),
                        count_cell(pack.assets.size()), megabyte_cell(plan.pack_bytes[i]));
  }
  return text + more_rows(layout.packs.size());
}

std::string scenario_row(const LaidScenario& scenario, const std::string& name, int decimals) {
  const PredictedLoad& load = *scenario.predicted;
  const auto over = ratio(load.sweep_s, load.bound_s);
  return fmt::format("{}  {:>5}{} {:>8} {:>8} {:>8} {:>8} {:>7}\n", name, scenario.runs,
                     load.is_held_out ? ' ' : '*', megabyte_cell(load.needed_bytes),
                     number_cell(load.demand_s, decimals), number_cell(load.sweep_s, decimals),
                     number_cell(load.bound_s, decimals), over ? number_cell(*over, 2) : "-");
}

// Those that aren't maps which nobody recorded: their sweeps' expectation is that of all of them.
std::vector<LaidScenario> predicted_scenarios(const Layout& layout) {
  std::vector<LaidScenario> predicted = layout.scenarios;
  std::erase_if(predicted, [](const LaidScenario& of) { return !of.predicted; });
  return predicted;
}

std::string scenario_table(const Layout& layout) {
  const std::string head =
      fmt::format("Predicted on {}, seconds of one load", layout.prediction->drive);
  const std::vector<LaidScenario> scenarios = predicted_scenarios(layout);
  const std::vector<std::string> names = planned_names(scenarios);
  const size_t columns = columns_of(names.front());
  std::string text =
      fmt::format("{}\n{:<{}}  {:>5}  {:>8} {:>8} {:>8} {:>8} {:>7}\n", head, "scenario", columns,
                  "runs", "needs MB", "demand", "sweep", "bound", "x bound");
  double greatest = 0;
  bool has_single = false;
  for (const LaidScenario& scenario : scenarios) {
    greatest = std::max(greatest, scenario.predicted->demand_s);
    has_single = has_single || !scenario.predicted->is_held_out;
  }
  for (size_t i = 0; i < std::min(kMostTableRows, scenarios.size()); ++i)
    text += scenario_row(scenarios[i], names[i], std::max(2, decimals_for(greatest)));
  text += more_rows(scenarios.size());
  if (has_single) text += "* of the only recording; the others of recordings that were held out\n";
  return text;
}

std::string curve_table(const Prediction& prediction) {
  if (prediction.curve.size() < 2) return "";
  std::string text = fmt::format("{:<30} {:>8} {:>9} {:>9}\n", "What copies cost and bring", "size",
                                 "copied MB", "seconds");
  const auto row = [&](std::string_view name, double ratio, uint64_t bytes, double seconds) {
    text += fmt::format("{:<30} {:>8.3f} {:>9} {:>9}\n", name, ratio, megabyte_cell(bytes),
                        number_cell(seconds, 3));
  };
  bool said = false;
  for (const CopyPrice& point : prediction.curve) {
    const bool is_this = !said && point.copied_bytes >= prediction.copied_bytes;
    if (is_this && point.copied_bytes > prediction.copied_bytes)
      text +=
          fmt::format("{:<30} {:>8} {:>9} {:>9}\n", "  this layout", "",
                      megabyte_cell(prediction.copied_bytes), number_cell(prediction.seconds, 3));
    const bool is_same = is_this && point.copied_bytes == prediction.copied_bytes;
    row(is_same                               ? "  this layout"
        : &point == &prediction.curve.front() ? "  no copies"
                                              : "  ",
        point.size_ratio, point.copied_bytes, point.seconds);
    said = said || is_this;
  }
  return text;
}

std::string equal_text(const EqualContent& equal, const Content& content, const Plan& plan,
                       size_t columns) {
  const Prediction& prediction = *plan.layout.prediction;
  std::string text = fmt::format(
      "{:.1f} MB of the content's {:.1f} MB are copies: {}, such as '{}' of '{}'. Packs hold "
      "each content once",
      megabytes(equal.bytes), megabytes(content.size_bytes()),
      counted(equal.assets, "asset has the content of another one",
              "assets have the content of another one"),
      clean_line(equal.example), clean_line(equal.of));
  if (prediction.copied_bytes > 0)
    text += fmt::format(", and {:.1f} MB more where that pays", megabytes(prediction.copied_bytes));
  if (equal.apart) {
    const double earned_s = prediction.seconds - equal.apart->recorded_s;
    const double more_gb = (static_cast<double>(equal.apart->packed_bytes) -
                            static_cast<double>(plan.packed_bytes())) /
                           1e9;
    text +=
        fmt::format(". With a place for each, all loads would take {:.2f} s instead of {:.2f} s",
                    equal.apart->recorded_s, prediction.seconds);
    text += earned_s > 0 && more_gb > 0
                ? fmt::format(": {:.3g} s for each GB more", earned_s / more_gb)
                : ": the copies earn nothing";
  }
  std::string lines;
  for (const std::string& line : wrap(text + ". --json lists them.", columns)) lines += line + "\n";
  return lines;
}

std::string plan_text(const Plan& plan, size_t columns) {
  const Layout& layout = plan.layout;
  std::string text = pack_table(plan);
  if (!layout.scenarios.empty()) text += "\n" + scenario_table(layout);
  const std::string curve = curve_table(*layout.prediction);
  if (!curve.empty()) text += "\n" + curve;
  text += "\n";
  for (const std::string& line : wrap(clean_line(layout.prediction->reasons), columns))
    text += line + "\n";
  text.pop_back();
  return text;
}

}  // namespace

std::string to_text(const PlanAnswer& answer, size_t columns) {
  const Plan& plan = answer.plan;
  std::string text = paragraph(answer.verdict.text, table_columns(columns)) + "\n";
  text += fmt::format("{}: {}, {:.1f} MB, from {}; {}\n", answer.layout,
                      counted(answer.content.assets.size(), "asset"),
                      megabytes(answer.content.size_bytes()),
                      counted(answer.content.sources.size(), "file"),
                      counted(plan.layout.scenarios.size(), "scenario"));
  if (answer.equal.assets > 0)
    text += equal_text(answer.equal, answer.content, plan, columns) + "\n";
  return text + plan_text(plan, columns);
}

Json to_json(const PlanAnswer& answer) {
  const Content& content = answer.content;
  const std::vector<uint32_t>& same_as = answer.same_as;
  const EqualContent& equal = answer.equal;
  const Plan& plan = answer.plan;
  Json json = {{"command", "plan"},
               {"layout", answer.layout},
               {"assets", content.assets.size()},
               {"bytes", content.size_bytes()},
               {"sources", content.sources.size()}};
  json["shadowed"] = Json::array();
  for (const Shadowed& shadowed : content.shadowed)
    json["shadowed"].push_back(
        {{"path", shadowed.path},
         {"source", content.sources[shadowed.place.source].path},
         {"hidden_by", content.sources[content.assets[shadowed.winner].place.source].path}});
  json["equal"] = {{"assets", equal.assets}, {"bytes", equal.bytes}};
  if (equal.apart)
    json["equal"]["earned"] = {{"once_seconds", plan.layout.prediction->seconds},
                               {"apart_seconds", equal.apart->recorded_s},
                               {"once_bytes", plan.packed_bytes()},
                               {"apart_bytes", equal.apart->packed_bytes}};
  json["equal"]["copies"] = Json::array();
  for (uint32_t asset = 0; asset < same_as.size(); ++asset)
    if (same_as[asset] != asset)
      json["equal"]["copies"].push_back(
          {{"path", content.assets[asset].path}, {"of", content.assets[same_as[asset]].path}});
  json["scenarios"] = Json::array();
  for (const LaidScenario& scenario : plan.layout.scenarios)
    json["scenarios"].push_back(
        {{"name", scenario.name},
         {"runs", scenario.runs},
         {"predicted", scenario.predicted ? to_json(*scenario.predicted) : Json()}});
  json["packs"] = Json::array();
  for (size_t i = 0; i < plan.layout.packs.size(); ++i)
    json["packs"].push_back({{"name", plan.layout.packs[i].name},
                             {"kind", to_string(plan.layout.packs[i].kind)},
                             {"assets", plan.layout.packs[i].assets.size()},
                             {"bytes", plan.pack_bytes[i]}});
  json["gone"] = plan.gone;
  json["prediction"] = to_json(*plan.layout.prediction);
  json["verdict"] = to_json(answer.verdict);
  json["warnings"] = plan.warnings;
  return json;
}

}  // namespace seekless
