#include "packer/calibrate/internal/fit.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>

namespace seekless {
namespace {

// Neighbouring candidates for a period differ by this share; over ten turns, that is a 500th of a
// turn.
constexpr double kPeriodStep = 2e-4;

// The intervals are also multiples of halves and thirds of the true period, but not of longer
// periods. So the longest candidate that is about as good as the best is taken.
constexpr double kAsGoodAsBest = 0.85;
constexpr double kPeakWidth = 0.8;  // the next lower candidate is two thirds of the period

// An interval farther than this from a whole number of turns was disturbed.
constexpr double kNearTurns = 0.1;
constexpr int kRefinements = 3;

// Returns the mean of the intervals' phases, taken as unit vectors.
std::complex<double> mean_phase(std::span<const double> intervals_ms, double period_ms) {
  std::complex<double> sum;
  for (const double interval : intervals_ms)
    sum += std::polar(1.0, 2 * std::numbers::pi * interval / period_ms);
  return sum / static_cast<double>(intervals_ms.size());
}

double mean_offset_ms(std::span<const double> intervals_ms, double period_ms) {
  return std::arg(mean_phase(intervals_ms, period_ms)) / (2 * std::numbers::pi) * period_ms;
}

bool is_near_whole(double turns) {
  return std::abs(turns - std::round(turns)) < kNearTurns;
}

double share_of_whole(std::span<const double> intervals_ms, double period_ms) {
  const double offset_ms = mean_offset_ms(intervals_ms, period_ms);
  const auto whole = std::ranges::count_if(intervals_ms, [&](double interval) {
    return is_near_whole((interval - offset_ms) / period_ms);
  });
  return static_cast<double>(whole) / static_cast<double>(intervals_ms.size());
}

// Fits a line through the intervals over their numbers of turns, without intervals that aren't near
// a whole number.
double refined(std::span<const double> intervals_ms, double period_ms) {
  double offset_ms = mean_offset_ms(intervals_ms, period_ms);
  for (int i = 0; i < kRefinements; ++i) {
    std::vector<Point> points;
    for (const double interval : intervals_ms) {
      const double turns = (interval - offset_ms) / period_ms;
      if (is_near_whole(turns)) points.push_back({.x = std::round(turns), .y = interval});
    }
    const bool has_turns = std::ranges::any_of(
        points, [&](const Point& point) { return point.x != points.front().x; });
    if (!has_turns) break;
    const FittedLine line = robust_line(points);
    if (std::abs(line.slope / period_ms - 1) > 1 - kPeakWidth) break;
    period_ms = line.slope;
    offset_ms = line.at_zero;
  }
  return period_ms;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

FittedLine robust_line(std::span<const Point> points) {
  std::vector<double> slopes;
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (points[i].x != points[j].x)
        slopes.push_back((points[i].y - points[j].y) / (points[i].x - points[j].x));
  FittedLine line = {.slope = median(std::move(slopes))};
  std::vector<double> rests;
  rests.reserve(points.size());
  for (const Point& point : points) rests.push_back(point.y - line.slope * point.x);
  line.at_zero = median(std::move(rests));
  return line;
}

FittedLine rising_line(std::span<const Point> points) {
  double weight = 0;
  Point mean;
  for (const Point& point : points) {
    weight += point.weight;
    mean.x += point.weight * point.x;
    mean.y += point.weight * point.y;
  }
  if (weight <= 0) return {};
  mean.x /= weight;
  mean.y /= weight;
  double xx = 0;
  double xy = 0;
  for (const Point& point : points) {
    xx += point.weight * (point.x - mean.x) * (point.x - mean.x);
    xy += point.weight * (point.x - mean.x) * (point.y - mean.y);
  }
  const double slope = xx > 0 ? std::max(0.0, xy / xx) : 0;
  return {.at_zero = mean.y - slope * mean.x, .slope = slope};
}

Period find_period(std::span<const double> intervals_ms, double shortest_ms, double longest_ms) {
  if (intervals_ms.empty()) return {};
  std::vector<Period> tried;
  double best = 0;
  for (double ms = shortest_ms; ms <= longest_ms; ms *= 1 + kPeriodStep) {
    tried.push_back({ms, share_of_whole(intervals_ms, ms)});
    best = std::max(best, tried.back().share);
  }
  size_t at = tried.size() - 1;
  while (tried[at].share < kAsGoodAsBest * best) --at;
  const double edge_ms = tried[at].ms;
  Period highest = tried[at];
  for (; at > 0 && tried[at].ms > edge_ms * kPeakWidth; --at)
    if (tried[at].share > highest.share) highest = tried[at];
  const double ms = refined(intervals_ms, highest.ms);
  return {ms, share_of_whole(intervals_ms, ms)};
}

double lower_end(std::vector<double> values, double width) {
  if (values.empty()) return 0;
  constexpr size_t kTenth = 10;
  const size_t lowest = std::max<size_t>(1, values.size() / kTenth);
  std::ranges::partial_sort(values, values.begin() + static_cast<std::ptrdiff_t>(lowest));
  const double step = width / static_cast<double>(values.size() + 1);
  double sum = 0;
  for (size_t i = 0; i < lowest; ++i) sum += values[i] - step * static_cast<double>(i + 1);
  return sum / static_cast<double>(lowest);
}

}  // namespace seekless
