// Draws the price of copies as a line: the size of the packs to the right, the seconds upwards.
#pragma once

#include <string>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// Returns at most `most` points, always with the first and the last. Points that aren't numbers are
// dropped.
std::vector<CopyPrice> thinned_curve(const std::vector<CopyPrice>& curve, size_t most);

struct PriceChart {
  // Empty if there is no line: fewer than two points, or all of the same size.
  std::string svg;
  // Seconds at the bottom of the picture; 0 unless the whole line is near the top.
  double lowest_seconds = 0;
};

PriceChart price_chart(const PlanReport& plan);

}  // namespace seekless
