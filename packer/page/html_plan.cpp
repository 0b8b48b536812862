// Makes the section of the page about the plan: its reasons, the price of copies, and predictions
// beside simulated values.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "packer/answer/report_totals.h"
#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/price_chart.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr size_t kMostPriceRows = 12;
constexpr int kDecimals = 3;            // copies may save only milliseconds
constexpr double kLeastSaved = 0.0005;  // the smallest value that these decimals can show
constexpr std::string_view kNoCell = "-";

std::string seconds_cell(double seconds) {
  return number_cell(duration_or_zero(seconds), kDecimals);
}

using PriceCells = std::array<std::string, 4>;

PriceCells price_cells(const CopyPrice& price, double without_copies) {
  const double saved = without_copies - price.seconds;
  return {number_cell(price.size_ratio, 2),
          number_cell(static_cast<double>(price.copied_bytes) / 1e6, 1),
          seconds_cell(price.seconds),
          saved >= kLeastSaved ? seconds_cell(saved) : std::string(kNoCell)};
}

std::string price_row(const PriceCells& cells, bool is_chosen) {
  std::string out = is_chosen ? "<tr class=\"chosen\">" : "<tr>";
  for (const std::string& cell : cells) out += fmt::format("<td>{}</td>", cell);
  return out +
         fmt::format("<td class=\"text said\">{}</td></tr>\n", is_chosen ? "this layout" : "");
}

// Returns a row for each point of the curve and for the layout itself. Points with the same text
// become one row.
std::string price_rows(const PlanReport& plan) {
  std::vector<CopyPrice> prices = thinned_curve(plan.curve, kMostPriceRows);
  const double without_copies = prices.front().seconds;
  const PriceCells chosen = price_cells(plan.chosen, without_copies);
  const auto place =
      std::ranges::upper_bound(prices, plan.chosen.copied_bytes, {}, &CopyPrice::copied_bytes);
  prices.insert(place, plan.chosen);
  std::string out;
  PriceCells last;
  for (const CopyPrice& price : prices) {
    const PriceCells cells = price_cells(price, without_copies);
    if (cells != last) out += price_row(cells, cells == chosen);
    last = cells;
  }
  return out;
}

std::string price_html(const PlanReport& plan) {
  const PriceChart chart = price_chart(plan);
  if (chart.svg.empty()) return {};
  constexpr std::string_view kHead =
      "<tr><th scope=\"col\">size \xc3\x97</th><th scope=\"col\">copies MB</th>"
      "<th scope=\"col\">seconds</th><th scope=\"col\">saved</th><th class=\"said\"></th></tr>\n";
  std::string note =
      "Seconds are predicted, for the sweeps of all scenarios, each times its weight. The row "
      "in bold is this layout.";
  if (chart.lowest_seconds > 0)
    note += fmt::format(" The picture's foot isn't 0 but {} s.",
                        number_cell(chart.lowest_seconds, kDecimals));
  return fmt::format(
      "<h3>What copies cost and bring</h3>\n<div class=\"price\">\n{}{}</div>\n"
      "<p class=\"note\">{}</p>\n",
      chart.svg, table_html("What copies cost and bring", kHead, price_rows(plan), ""), note);
}

std::string difference_cell(double predicted, double simulated) {
  const auto times = ratio(simulated, predicted);
  return times ? fmt::format("{:+.0f} %", 100 * std::min(*times - 1, 9.99)) : std::string(kNoCell);
}

std::string prediction_row(const ScenarioReport& scenario) {
  std::string cells;
  const auto add = [&](std::string_view cell, bool begins_group = false) {
    cells += fmt::format("<td{}>{}</td>", begins_group ? " class=\"first\"" : "", cell);
  };
  const std::optional<PredictedLoad>& planned = scenario.planned;
  add(planned ? seconds_cell(planned->demand_s) : kNoCell, true);
  add(planned ? seconds_cell(planned->sweep_s) : kNoCell);
  add(!planned ? kNoCell : planned->is_held_out ? "yes" : "no");
  add(seconds_cell(scenario.before.seconds), true);
  add(seconds_cell(scenario.after.seconds));
  add(planned ? difference_cell(planned->sweep_s, scenario.after.seconds) : std::string(kNoCell));
  return fmt::format("<tr><th scope=\"row\">{}</th>{}</tr>\n", escape_html(scenario.name), cells);
}

std::string predictions_html(const Report& report) {
  if (std::ranges::none_of(report.scenarios, [](const ScenarioReport& scenario) {
        return scenario.planned.has_value();
      }))
    return {};
  constexpr std::string_view kHead =
      "<tr><th class=\"text\" rowspan=\"2\" scope=\"col\">scenario</th>"
      "<th class=\"group first planned\" colspan=\"3\" scope=\"colgroup\">predicted</th>"
      "<th class=\"group first after\" colspan=\"3\" scope=\"colgroup\">simulated</th></tr>\n"
      "<tr><th class=\"first\">on demand</th><th>sweep</th><th>held out</th>"
      "<th class=\"first\">before</th><th>sweep</th><th>difference</th></tr>\n";
  std::string rows;
  for (const ScenarioReport& scenario : report.scenarios) rows += prediction_row(scenario);
  return "<h3>Predicted and simulated, seconds of one load</h3>\n" +
         table_html("Predicted and simulated", kHead, rows, "") +
         "<p class=\"note\">On demand: every asset asked for one by one, from the packs, as the "
         "runs did. Sweep: as the runtime reads; predicted with what a run reads beyond it. Held "
         "out: each run was tried on a layout made without it; otherwise there is one run only. "
         "The difference is that of the two sweeps.</p>\n";
}

}  // namespace

std::string plan_section(const Report& report) {
  if (!report.plan) return {};
  const PlanReport& plan = *report.plan;
  std::string out =
      fmt::format("<section>\n<h2>Why the packs are as they are</h2>\n<p>{}</p>\n<p>{}</p>\n",
                  escape_html(plan.reasons), copies_sentence(plan));
  if (plan.drive != report.drive)
    out += fmt::format("<p class=\"note\">Planned for {}, but simulated on {}.</p>\n",
                       escape_html(plan.drive), escape_html(report.drive));
  return out + price_html(plan) + predictions_html(report) + "</section>\n";
}

}  // namespace seekless
