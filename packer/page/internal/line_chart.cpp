#include "packer/page/internal/line_chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "packer/page/internal/ticks.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

// Units of the picture are pixels of a page on a desktop screen.
constexpr int kLineLeft = 62;
constexpr int kLineTop = 34;
constexpr int kLineWidth = 760;
constexpr int kLineHeight = 260;
constexpr int kLineBottom = 62;
constexpr double kLineTicks = 6;

struct LineScale {
  double most_x = 0;
  double most_y = 0;

  double x(double value) const { return kLineWidth * std::clamp(value / most_x, 0.0, 1.0); }
  double y(double value) const { return kLineHeight * (1 - std::clamp(value / most_y, 0.0, 1.0)); }
};

bool is_drawn(const ChartPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && point.x >= 0 && point.y >= 0;
}

LineScale scale_of(const LineChart& chart) {
  LineScale scale;
  for (const auto* points : {&chart.measured, &chart.predicted})
    for (const ChartPoint& point : *points) {
      if (!is_drawn(point)) continue;
      scale.most_x = std::max(scale.most_x, point.x);
      scale.most_y = std::max(scale.most_y, point.y);
    }
  return scale;
}

std::string axes_of(const LineChart& chart, const LineScale& scale) {
  std::string out;
  const double step_y = tick_step(scale.most_y, kLineTicks);
  for (int i = 0; step_y > 0 && i * step_y <= scale.most_y * (1 + 1e-9); ++i)
    out += fmt::format(
        "<path class=\"grid\" d=\"M0 {0:.1f}h{1}\"/><text x=\"-8\" y=\"{2:.1f}\" "
        "text-anchor=\"end\">{3}</text>\n",
        scale.y(i * step_y), kLineWidth, scale.y(i * step_y) + 5, tick_label(i * step_y, step_y));
  const double step_x = tick_step(scale.most_x, kLineTicks);
  for (int i = 0; step_x > 0 && i * step_x <= scale.most_x * (1 + 1e-9); ++i)
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       scale.x(i * step_x), kLineHeight + 22, tick_label(i * step_x, step_x));
  out += fmt::format("<text class=\"faint\" x=\"{}\" y=\"-16\">{}</text>\n", 4 - kLineLeft,
                     escape_html(chart.y_name));
  return out +
         fmt::format("<text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                     kLineWidth, kLineHeight + 46, escape_html(chart.x_name));
}

std::string points_of(const std::vector<ChartPoint>& points, const LineScale& scale,
                      std::string_view side, bool is_cloud) {
  std::string path;
  for (const ChartPoint& point : points) {
    if (!is_drawn(point)) continue;
    path += fmt::format("{}{:.1f} {:.1f}{}", is_cloud || path.empty() ? "M" : "L", scale.x(point.x),
                        scale.y(point.y), is_cloud ? "h0" : "");
  }
  return fmt::format("<path class=\"{} {}\" d=\"{}\"/>\n", is_cloud ? "cloud" : "line", side, path);
}

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
  const LineScale scale = scale_of(chart);
  if (!(scale.most_x > 0) || !(scale.most_y > 0)) return {};
  return fmt::format(
             "<svg class=\"price lines\" viewBox=\"{} {} {} {}\" role=\"img\" "
             "aria-label=\"{}\">\n",
             -kLineLeft, -kLineTop, kLineLeft + kLineWidth + 4,
             kLineTop + kLineHeight + kLineBottom, escape_html(chart.description)) +
         axes_of(chart, scale) + points_of(chart.measured, scale, "before", chart.is_cloud) +
         points_of(chart.predicted, scale, "after", chart.is_cloud) + "</svg>\n";
}

}  // namespace seekless
