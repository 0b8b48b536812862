// Computes the places and texts of an axis' labels.
#pragma once

#include <string>

namespace seekless {

// Returns 1, 2 or 5 times a power of ten that fits `span` at most `most` times. Returns 0 if no
// labels are worth writing: for an empty span, or one that isn't a number.
double tick_step(double span, double most);

// Returns a label with as many decimals as `step` has; `step` isn't 0.
std::string tick_label(double value, double step);

}  // namespace seekless
