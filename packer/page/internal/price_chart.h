// The price of copies as a line: the size of the packs to the right, the seconds upwards.
#pragma once

#include <string>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// At most `most` points, the first and the last among them; without those that aren't numbers.
std::vector<CopyPrice> thinned_curve(const std::vector<CopyPrice>& curve, size_t most);

struct PriceChart {
  std::string svg;            // empty if there is no line: fewer than two points, or of one size
  double lowest_seconds = 0;  // at the foot of the picture; 0 unless the line is all near the top
};

PriceChart price_chart(const PlanReport& plan);

}  // namespace seekless
