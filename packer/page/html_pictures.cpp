// Makes the sections of the page that have pictures: the bars of seconds, and the path of the head.
#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/svg.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr size_t kLongestCaption = 120;
constexpr size_t kMostBars = 100;
constexpr size_t kMostHeads = 20;
constexpr size_t kHeadsBytes = 900'000;    // SVG on one page, which should be small enough to mail
constexpr size_t kMostHeadBytes = 48'000;  // more detail would be invisible at the width of a page

using Scenarios = std::vector<const ScenarioReport*>;

std::string name_html(const ScenarioReport& scenario) {
  return escape_html(cut_middle(clean_line(scenario.name), kLongestCaption));
}

// Returns the scenarios with the most seconds before, in the report's order.
Scenarios longest(Scenarios scenarios, size_t most) {
  if (scenarios.size() <= most) return scenarios;
  std::vector<size_t> order(scenarios.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t i) {
    return duration_or_zero(scenarios[i]->before.seconds);
  });
  order.resize(most);
  std::ranges::sort(order);
  Scenarios kept;
  for (const size_t i : order) kept.push_back(scenarios[i]);
  return kept;
}

std::string left_out_html(size_t shown, size_t all) {
  if (shown == all) return {};
  return fmt::format("<p class=\"note\">Shown are the {} of {} that took longest before.</p>\n",
                     shown, grouped(all));
}

std::string bar_line(Side side, double seconds, double bound_seconds, double greatest) {
  const auto share = [&](double value) { return ratio(value, greatest).value_or(0); };
  const std::string label = fmt::format("{}: {}, bound: {}", to_string(side), seconds_text(seconds),
                                        seconds_text(bound_seconds));
  return fmt::format("<div class=\"bar-line\">{}<span>{}</span></div>",
                     bar_svg(side, share(seconds), share(bound_seconds), label),
                     number_cell(seconds, decimals_for(greatest)) + " s");
}

// Returns a text such as "4.6x faster".
std::string gain_html(double before, double after) {
  const bool is_slower = after > before;
  const auto times = is_slower ? ratio(after, before) : ratio(before, after);
  if (!times) return {};
  return fmt::format("{}\xc3\x97<small>{}</small>", number_cell(*times, *times < 100 ? 1 : 0),
                     is_slower ? "slower" : "faster");
}

std::string bars_row(const ScenarioReport& scenario, double greatest) {
  const double before = duration_or_zero(scenario.before.seconds);
  const double after = duration_or_zero(scenario.after.seconds);
  const double bound = duration_or_zero(scenario.bound_seconds);
  return fmt::format(
      "<li><span class=\"name\">{}</span><div class=\"bars\">{}{}</div>"
      "<span class=\"gain\">{}</span></li>\n",
      name_html(scenario), bar_line(Side::before, before, bound, greatest),
      bar_line(Side::after, after, bound, greatest), gain_html(before, after));
}

uint64_t median_length(std::vector<HeadMove> moves) {
  if (moves.empty()) return 0;
  const auto middle = moves.begin() + static_cast<std::ptrdiff_t>(moves.size() / 2);
  std::ranges::nth_element(moves, middle, {}, &HeadMove::length_bytes);
  return middle->length_bytes;
}

std::string side_sentence(const LoadCost& cost, const std::vector<HeadMove>& moves) {
  std::string out =
      fmt::format("{}, {}, {}", grouped_count(cost.reads, "read"),
                  grouped_count(cost.seeks, "seek"), seconds_text(duration_or_zero(cost.seconds)));
  if (!moves.empty())
    out += fmt::format("; a typical read is of {}", read_size_text(median_length(moves)));
  return out;
}

// Returns the seconds at the right edge of both pictures: the end of the longer load.
double shared_seconds(const ScenarioReport& scenario) {
  double seconds =
      std::max(duration_or_zero(scenario.before.seconds), duration_or_zero(scenario.after.seconds));
  for (const auto* moves : {&scenario.before_moves, &scenario.after_moves})
    for (const HeadMove& move : *moves) seconds = std::max(seconds, duration_or_zero(move.start_s));
  return seconds;
}

std::string head_panel(const ScenarioReport& scenario, Side side, const HeadScales& scales,
                       size_t number, size_t budget_bytes) {
  const bool is_before = side == Side::before;
  const std::string sentence =
      side_sentence(is_before ? scenario.before : scenario.after,
                    is_before ? scenario.before_moves : scenario.after_moves);
  const std::string id = fmt::format("head-{}-{}", number, to_string(side));
  return fmt::format("<div>\n<p class=\"panel {}\"><b>{}</b> {}</p>\n{}</div>\n", to_string(side),
                     is_before ? "Before:" : "After:", sentence,
                     head_picture_svg(scenario, side, scales, id, sentence, budget_bytes));
}

std::string head_figure(const ScenarioReport& scenario, size_t number, size_t budget_bytes) {
  const PlaceScale places(scenario.before_moves, scenario.after_moves, head_picture_height());
  const double rate =
      ratio(static_cast<double>(scenario.needed_bytes), duration_or_zero(scenario.bound_seconds))
          .value_or(0);
  const HeadScales scales = {shared_seconds(scenario), rate, places};
  return fmt::format(
      "<figure>\n<figcaption>{}</figcaption>\n<div class=\"pair\">\n{}{}</div>\n"
      "</figure>\n",
      name_html(scenario), head_panel(scenario, Side::before, scales, number, budget_bytes),
      head_panel(scenario, Side::after, scales, number, budget_bytes));
}

}  // namespace

std::string bars_section(const Report& report, const SideNames& names) {
  if (report.scenarios.empty()) return {};
  Scenarios all;
  for (const ScenarioReport& scenario : report.scenarios) all.push_back(&scenario);
  const Scenarios shown = longest(all, kMostBars);
  double greatest = 0;
  for (const ScenarioReport* scenario : shown)
    greatest = std::max({greatest, duration_or_zero(scenario->before.seconds),
                         duration_or_zero(scenario->after.seconds),
                         duration_or_zero(scenario->bound_seconds)});
  std::string out = fmt::format(
      "<section>\n<h2>{}</h2>\n"
      "<p class=\"legend\"><span><i class=\"before\"></i>{}</span> "
      "<span><i class=\"after\"></i>{}</span> "
      "<span><i class=\"mark\"></i>bound: no order of reading is faster</span></p>\n"
      "<ul class=\"chart\">\n",
      names.seconds, names.before, names.after);
  for (const ScenarioReport* scenario : shown) out += bars_row(*scenario, greatest);
  return out + "</ul>\n" + left_out_html(shown.size(), all.size()) + "</section>\n";
}

std::string heads_section(const Report& report) {
  Scenarios all;
  for (const ScenarioReport& scenario : report.scenarios)
    if (!scenario.before_moves.empty() || !scenario.after_moves.empty()) all.push_back(&scenario);
  if (all.empty()) return {};
  const Scenarios shown = longest(all, kMostHeads);
  const size_t budget_bytes = std::min(kMostHeadBytes, kHeadsBytes / shown.size() / 2);
  std::string out = fmt::format(
      "<section>\n<h2>{}</h2>\n<p>Time runs to the right, the place on the drive upwards; each dot "
      "or line is a read, and thicker ones are of 64 KiB and of 1 MiB or more. {} Shaded bands are "
      "the places that were read; what lies between them is left out.</p>\n",
      report.capacity_bytes == 0 ? "What is read when" : "The way of the head",
      report.capacity_bytes == 0
          ? "A solid-state drive has no head to move, so only the number of reads matters much."
          : "Thin lines are the head on its way: a wall of them is time lost.");
  for (size_t i = 0; i < shown.size(); ++i) out += head_figure(*shown[i], i + 1, budget_bytes);
  return out + left_out_html(shown.size(), all.size()) + "</section>\n";
}

}  // namespace seekless
