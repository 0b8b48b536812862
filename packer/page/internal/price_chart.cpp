#include "packer/page/internal/price_chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "packer/page/internal/ticks.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

// Units of the picture are pixels of a page on a desktop screen.
constexpr int kChartLeft = 86;
constexpr int kChartTop = 46;
constexpr int kWidth = 410;
constexpr int kHeight = 230;
constexpr int kChartRight = 40;
constexpr int kChartBottom = 66;
constexpr size_t kMostPoints = 400;
constexpr size_t kMostDots = 40;  // more would hide the line
constexpr double kChartMostTicks = 5;
// If a line stays above this share of its highest point, the part below is cut off.
constexpr double kFlat = 0.6;

struct Axis {
  double first = 0;
  double last = 1;
  int length = 0;

  double at(double value) const {
    return length * std::clamp(ratio(value - first, last - first).value_or(0), 0.0, 1.0);
  }
};

bool is_number(const CopyPrice& price) {
  return std::isfinite(price.size_ratio) && std::isfinite(price.seconds);
}

Axis size_axis(const std::vector<CopyPrice>& prices) {
  const auto [least, most] = std::ranges::minmax(prices, {}, &CopyPrice::size_ratio);
  return {least.size_ratio, most.size_ratio, kWidth};
}

// Returns an axis that leaves room for words above and below the line.
Axis seconds_axis(const std::vector<CopyPrice>& prices) {
  const auto [least, most] = std::ranges::minmax(prices, {}, &CopyPrice::seconds);
  const double span = most.seconds - least.seconds;
  Axis axis = {0, most.seconds + span / 8, kHeight};
  if (least.seconds > kFlat * most.seconds && span > 0) {
    axis.first = std::max(0.0, least.seconds - span / 4);
    const double step = tick_step(axis.last - axis.first, kChartMostTicks);
    if (step > 0) axis.first = step * std::floor(axis.first / step);
  }
  if (!(axis.last > axis.first)) axis.last = axis.first + 1;
  return axis;
}

// Calls act(value, label) for each label of the axis.
void for_each_tick(const Axis& axis, auto act) {
  const double step = tick_step(axis.last - axis.first, kChartMostTicks);
  if (step == 0) return;
  const double first = std::ceil(axis.first / step - 1e-6);
  for (int i = 0; i <= kChartMostTicks; ++i) {
    const double value = (first + i) * step;
    if (value > axis.last + step * 1e-6) return;
    act(value, tick_label(value, step));
  }
}

std::string axes_svg(const Axis& sizes, const Axis& seconds) {
  std::string out;
  for_each_tick(seconds, [&](double value, const std::string& label) {
    const double y = kHeight - seconds.at(value);
    out += fmt::format("<path class=\"grid\" d=\"M0 {:.1f}h{}\"/>", y, kWidth);
    out += fmt::format("<text x=\"-8\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", y + 5, label);
  });
  for_each_tick(sizes, [&](double value, const std::string& label) {
    const double x = sizes.at(value);
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {}v5\"/>", x, kHeight);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}\xc3\x97</text>\n", x,
                       kHeight + 28, label);
  });
  out += fmt::format("<path class=\"axis\" d=\"M0 {}h{}\"/>\n", kHeight, kWidth);
  out += fmt::format(
      "<text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"end\">size of all packs, by the "
      "content's</text>\n",
      kWidth, kHeight + 56);
  return out +
         fmt::format("<text class=\"faint\" x=\"{}\" y=\"-24\">seconds</text>\n", 4 - kChartLeft);
}

std::string line_svg(const std::vector<CopyPrice>& curve, const Axis& sizes, const Axis& seconds) {
  std::string line;
  std::string dots;
  for (const CopyPrice& price : curve) {
    const std::string point = fmt::format("{:.1f} {:.1f}", sizes.at(price.size_ratio),
                                          kHeight - seconds.at(price.seconds));
    line += (line.empty() ? "M" : "L") + point;
    dots += fmt::format("M{}h0", point);
  }
  std::string out = fmt::format("<path class=\"line\" d=\"{}\"/>", line);
  if (curve.size() <= kMostDots) out += fmt::format("<path class=\"dots\" d=\"{}\"/>", dots);
  return out + "\n";
}

// Marks the chosen point with its label. The line falls, so there is room above it to the right and
// below it to the left. That is about half of the width, which is enough in any font. At the very
// bottom the labels of the axis are in the way.
std::string chosen_svg(const CopyPrice& chosen, const Axis& sizes, const Axis& seconds) {
  const double x = sizes.at(chosen.size_ratio);
  const double y = kHeight - seconds.at(chosen.seconds);
  const bool is_left = x < kWidth / 2.0;
  const bool is_above = is_left || y > kHeight - 36;
  return fmt::format(
      "<circle class=\"chosen\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"/>"
      "<text class=\"chosen\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">this layout: "
      "{}</text>\n",
      x, y, is_left ? x + 10 : std::min<double>(x + 8, kWidth), is_above ? y - 10 : y + 26,
      is_left ? "start" : "end", number_cell(duration_or_zero(chosen.seconds), 3) + " s");
}

}  // namespace

std::vector<CopyPrice> thinned_curve(const std::vector<CopyPrice>& curve, size_t most) {
  std::vector<CopyPrice> sound;
  std::ranges::copy_if(curve, std::back_inserter(sound), is_number);
  if (sound.size() <= most) return sound;
  std::vector<CopyPrice> out;
  for (size_t i = 0; i < most; ++i) out.push_back(sound[i * (sound.size() - 1) / (most - 1)]);
  return out;
}

PriceChart price_chart(const PlanReport& plan) {
  const std::vector<CopyPrice> curve = thinned_curve(plan.curve, kMostPoints);
  std::vector<CopyPrice> all = curve;
  if (is_number(plan.chosen)) all.push_back(plan.chosen);
  if (curve.size() < 2) return {};
  const Axis sizes = size_axis(all);
  if (!(sizes.last > sizes.first)) return {};
  const Axis seconds = seconds_axis(all);
  const std::string label = fmt::format(
      "Seconds by the size of the packs, from {} times the content with {} s to {} "
      "times with {} s",
      number_cell(curve.front().size_ratio, 2), number_cell(curve.front().seconds, 3),
      number_cell(curve.back().size_ratio, 2), number_cell(curve.back().seconds, 3));
  PriceChart chart;
  chart.lowest_seconds = seconds.first;
  chart.svg =
      fmt::format("<svg class=\"price\" viewBox=\"{} {} {} {}\" role=\"img\" aria-label=\"{}\">\n",
                  -kChartLeft, -kChartTop, kChartLeft + kWidth + kChartRight,
                  kChartTop + kHeight + kChartBottom, escape_html(label));
  chart.svg += axes_svg(sizes, seconds) + line_svg(curve, sizes, seconds);
  if (is_number(plan.chosen)) chart.svg += chosen_svg(plan.chosen, sizes, seconds);
  chart.svg += "</svg>\n";
  return chart;
}

}  // namespace seekless
