// Where an axis has its labels, and what they say.
#pragma once

#include <string>

namespace seekless {

// 1, 2 or 5 times a power of ten that fits `span` at most `most` times; 0 where there are no labels
// worth writing: an empty span, or one that isn't a number.
double tick_step(double span, double most);

// With as many decimals as `step` has; `step` isn't 0.
std::string tick_label(double value, double step);

}  // namespace seekless
