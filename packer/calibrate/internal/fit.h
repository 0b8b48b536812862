// Implements the statistics of calibration: estimates that a few disturbed samples don't spoil.
// Pure.
#pragma once

#include <span>
#include <vector>

namespace seekless {

// Returns the middle value (for an even number, the upper of the two); 0 if there are no values.
double median(std::vector<double> values);

struct Point {
  double x = 0;
  double y = 0;
  double weight = 1;
};

struct FittedLine {
  double at_zero = 0;
  double slope = 0;
  double at(double x) const { return at_zero + slope * x; }
};

// Returns a line whose slope is the median of the slopes between all pairs, and whose level is the
// median of the residuals (Theil 1950, Sen 1968). It tolerates up to 29 % of outliers, and ignores
// weights. Needs at least two points with different x.
FittedLine robust_line(std::span<const Point> points);

// Fits a line by weighted least squares. If its slope would be negative, returns a constant.
FittedLine rising_line(std::span<const Point> points);

struct Period {
  double ms = 0;
  double share = 0;  // share of intervals within a tenth of a period of a whole multiple
};

// Finds the longest period, between the two given ones, that divides most intervals into whole
// numbers, apart from a common offset. A hundred arbitrary intervals reach a share of 0.4 by
// chance.
Period find_period(std::span<const double> intervals_ms, double shortest_ms, double longest_ms);

// Returns the lower end of a uniform distribution of the given `width`, estimated from the lowest
// tenth of the values. So the latest samples hardly matter. The expected j-th of n values is end +
// width * j / (n + 1).
double lower_end(std::vector<double> values, double width);

}  // namespace seekless
