// The statistics of calibration: estimates that a share of disturbed samples doesn't spoil.
// Pure arithmetic on values.
#pragma once

#include <span>
#include <vector>

namespace seekless {

// The middle value, of an even number the upper one of the two; 0 if there are none.
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

// The median of the slopes between all pairs, and of what remains (Theil 1950, Sen 1968): bears up
// to 29 % of wild points. Weights play no part. Two points of different x at least.
FittedLine robust_line(std::span<const Point> points);

// Weighted least squares; a slope below zero isn't allowed, and becomes a level.
FittedLine rising_line(std::span<const Point> points);

struct Period {
  double ms = 0;
  double share = 0;  // of the intervals that are whole multiples, within a tenth of a period
};

// The longest period, between the two given, of which most intervals are whole multiples, but for
// an offset that all share. Chance makes a share of 0.4 from a hundred arbitrary intervals.
Period find_period(std::span<const double> intervals_ms, double shortest_ms, double longest_ms);

// The lower end of an even distribution as wide as `width`, from its lowest tenth: late samples,
// however late, hardly matter. Expected value of the j-th of n: end + width * j / (n + 1).
double lower_end(std::vector<double> values, double width);

}  // namespace seekless
