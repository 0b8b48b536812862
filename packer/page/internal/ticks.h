// Computes the places and texts of an axis' labels.
#pragma once

#include <string>

namespace seekless {

// Returns 1, 2 or 5 times a power of ten that fits `span` at most `most` times. Returns 0, for no
// labels, if the span is empty or isn't a number.
double tick_step(double span, double most);

// Returns a label with as many decimals as `step` has; `step` isn't 0.
std::string tick_label(double value, double step);

}  // namespace seekless
