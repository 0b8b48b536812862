#include <cmath>

#include <fmt/format.h>

#include "packer/answer/drive_answer.h"
#include "packer/page/drive_check_page.h"
#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/html_tables.h"
#include "packer/page/internal/line_chart.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr std::string_view kLegend =
    "<p class=\"legend\"><span><i class=\"before\"></i>measured</span>"
    "<span><i class=\"after\"></i>predicted</span></p>\n";

std::string chart_section(std::string_view title, const LineChart& chart, std::string_view note) {
  const std::string svg = line_chart_svg(chart);
  if (svg.empty()) return {};
  return fmt::format("<section>\n<h2>{}</h2>\n{}{}<p class=\"note\">{}</p>\n</section>\n", title,
                     kLegend, svg, note);
}

std::string distance_chart(const DriveJudgement& judged) {
  LineChart chart = {.x_name = "distance from the request before, % of the largest",
                     .y_name = "ms",
                     .description = "Each read's time by its distance, measured and predicted",
                     .measured = {},
                     .predicted = {},
                     .is_cloud = true};
  for (const ReadPoint& point : judged.points) {
    chart.measured.push_back({point.stroke_share * 100, point.measured_ms});
    chart.predicted.push_back({point.stroke_share * 100, point.predicted_ms});
  }
  return chart_section(
      "By seek distance", chart,
      "Nobody knows the platter's angle, so the prediction is the middle of a turn: "
      "measured times spread by half a turn to both sides.");
}

std::string windows_chart(const DriveJudgement& judged) {
  LineChart chart = {.x_name = "window of 50 reads",
                     .y_name = "ms",
                     .description = "Time of each window of 50 reads, measured and predicted",
                     .measured = {},
                     .predicted = {}};
  for (size_t i = 0; i < judged.windows.size(); ++i) {
    const auto x = static_cast<double>(i + 1);
    chart.measured.push_back({x, judged.windows[i].measured_ms});
    chart.predicted.push_back({x, judged.windows[i].predicted_ms});
  }
  return chart_section("Windows over time", chart,
                       "A window is about what a small load reads; the angles average out in it.");
}

std::string distribution_chart(const DriveJudgement& judged) {
  LineChart chart = {.x_name = "ms",
                     .y_name = "% of reads",
                     .description = "Share of reads that take at most this long",
                     .measured = {},
                     .predicted = {}};
  const size_t count = judged.measured_quantiles_ms.size();
  for (size_t i = 0; i < count; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(count) * 100;
    chart.measured.push_back({judged.measured_quantiles_ms[i], share});
    chart.predicted.push_back({judged.predicted_quantiles_ms[i], share});
  }
  return chart_section(
      "Distribution", chart,
      fmt::format("The curves are {:.2f} ms apart (root mean square of the horizontal distance).",
                  judged.distribution_ms));
}

void add_rows(const std::vector<ReadGroup>& groups, std::string_view what, ReportTable& table) {
  for (const ReadGroup& group : groups)
    table.rows.push_back({fmt::format("{} {}", what, group.name), grouped(group.reads),
                          fmt::format("{:.2f}", group.measured_ms),
                          fmt::format("{:.2f}", group.predicted_ms),
                          fmt::format("{:+.2f}", group.predicted_ms - group.measured_ms)});
}

std::string groups_section(const DriveJudgement& judged) {
  ReportTable table = {
      .title = "Where the error comes from",
      .columns = {{"reads", true}, {"number"}, {"measured ms"}, {"predicted ms"}, {"off"}},
      .rows = {}};
  add_rows(judged.by_kind, "", table);
  add_rows(judged.by_distance, "moved", table);
  add_rows(judged.by_size, "size", table);
  return table_section(table, "Mean times. Distances are shares of the largest.");
}

std::string facts_section(const DriveJudgement& judged) {
  const auto percent = [](double share) { return fmt::format("{:.1f} %", share * 100); };
  return "<dl class=\"facts\">\n" +
         fact_html("sum of all reads", fmt::format("{:+.1f} %", judged.sum_error() * 100)) +
         fact_html("windows of 50, median", percent(judged.window_median_error)) +
         fact_html("windows of 50, nine of ten", percent(judged.window_p90_error)) +
         fact_html("distribution", fmt::format("{:.2f} ms", judged.distribution_ms)) + "</dl>\n";
}

}  // namespace

std::string to_html(const DriveCheckAnswer& answer) {
  const DriveJudgement& judged = answer.judged;
  return page_html(fmt::format("Drive model against {}", answer.trace),
                   check_sentence(answer) + " " + check_details(answer),
                   facts_section(judged) + distance_chart(judged) + windows_chart(judged) +
                       distribution_chart(judged) + groups_section(judged) +
                       fmt::format("<section>\n<h2>The profile</h2>\n<pre>{}</pre>\n</section>\n",
                                   escape_html(describe_profile(answer.profile))));
}

}  // namespace seekless
