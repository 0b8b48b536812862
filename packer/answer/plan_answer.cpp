#include "packer/answer/plan_answer.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/answer/internal/notes.h"
#include "packer/answer/report_totals.h"
#include "packer/layout/prediction_json.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestPlannedName = 32;

// Pads the names of the items to the same width.
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

// Returns the scenarios that have predictions: all but unrecorded maps, whose sweeps are only
// predicted as a group.
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
  for (const LaidScenario& scenario : scenarios) {
    greatest = std::max(greatest, scenario.predicted->demand_s);
  }
  for (size_t i = 0; i < std::min(kMostTableRows, scenarios.size()); ++i)
    text += scenario_row(scenarios[i], names[i], std::max(2, decimals_for(greatest)));
  return text + more_rows(scenarios.size());
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

// Says how much equal content there is, and what a separate place for each copy would gain.
std::string equal_text(const PlanAnswer& answer) {
  const EqualContent& equal = answer.equal;
  const Prediction& prediction = *answer.plan.layout.prediction;
  std::string text = fmt::format("{}, such as '{}' of '{}'",
                                 counted(equal.assets, "asset has the content of another one",
                                         "assets have the content of another one"),
                                 clean_line(equal.example), clean_line(equal.of));
  if (!equal.apart) return text + "; --json lists them";
  const double earned_s = prediction.seconds - equal.apart->recorded_s;
  const double more_gb = (static_cast<double>(equal.apart->packed_bytes) -
                          static_cast<double>(answer.plan.packed_bytes())) /
                         1e9;
  text += fmt::format("; with a place for each, all loads would take {:.2f} s instead of {:.2f} s",
                      equal.apart->recorded_s, prediction.seconds);
  return text + (earned_s > 0 && more_gb > 0
                     ? fmt::format(": {:.3g} s for each GB more", earned_s / more_gb)
                     : ": the copies earn nothing");
}

// Splits the paragraph into its sentences.
std::vector<std::string> sentences_of(const std::string& reasons) {
  std::vector<std::string> sentences;
  for (size_t at = 0; at < reasons.size();) {
    const size_t end = reasons.find(". ", at);
    sentences.push_back(reasons.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + 2;
  }
  return sentences;
}

AnswerNotes notes_of(const PlanAnswer& answer) {
  const Plan& plan = answer.plan;
  const Prediction& prediction = *plan.layout.prediction;
  AnswerNotes notes;
  notes.brief.push_back(fmt::format(
      "{}: {}, {:.1f} MB, in {}, {:.1f} MB", answer.layout,
      counted(answer.content.assets.size(), "asset"), megabytes(answer.content.size_bytes()),
      counted(plan.layout.packs.size(), "pack"), megabytes(plan.packed_bytes())));
  notes.brief.push_back(copies_note(plan_report_of(prediction)));
  if (answer.equal.assets > 0)
    notes.brief.push_back(
        fmt::format("{:.1f} of the content's {:.1f} MB are copies; packs hold each content once",
                    megabytes(answer.equal.bytes), megabytes(answer.content.size_bytes())));
  if (std::ranges::any_of(plan.layout.scenarios, [](const LaidScenario& of) {
        return of.predicted && !of.predicted->is_held_out;
      }))
    notes.brief.emplace_back("*: tried on its only recording; the others on recordings held out");
  if (answer.equal.assets > 0) notes.more.push_back(equal_text(answer));
  for (std::string& sentence : sentences_of(prediction.reasons))
    notes.more.push_back(std::move(sentence));
  return notes;
}

}  // namespace

std::string to_text(const PlanAnswer& answer, size_t columns, bool is_verbose) {
  const Layout& layout = answer.plan.layout;
  columns = table_columns(columns);
  std::string text = paragraph(answer.verdict.text, columns) + "\n";
  if (!layout.scenarios.empty()) text += scenario_table(layout) + "\n";
  if (is_verbose || layout.scenarios.empty()) text += pack_table(answer.plan) + "\n";
  if (is_verbose)
    if (const std::string curve = curve_table(*layout.prediction); !curve.empty())
      text += curve + "\n";
  text += to_text(notes_of(answer), is_verbose, columns);
  text.pop_back();
  return text;
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
