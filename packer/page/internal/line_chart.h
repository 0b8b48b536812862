// Draws measured and predicted values in one picture, as inline SVG.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace seekless {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

struct LineChart {
  std::string_view x_name;
  std::string_view y_name;
  std::string description;  // for people who can't see it; not escaped yet
  // Points are joined by lines; with `is_cloud` each is a dot.
  std::vector<ChartPoint> measured;
  std::vector<ChartPoint> predicted;
  bool is_cloud = false;
};

// Returns an empty text if there are fewer than two points. Points that aren't finite are left out.
std::string line_chart_svg(const LineChart& chart);

}  // namespace seekless
