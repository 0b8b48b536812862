// How several scenarios' shared assets are arranged: the order of the common pack and the copies in
// sub-packs, found together.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/layout/shared_content.h"

namespace seekless {

struct ArrangeOptions {
  double gain_s_per_gb = 1;            // what a copy has to earn; 0 or more
  uint64_t budget_bytes = UINT64_MAX;  // most bytes of copies
  uint64_t effort = 30'000'000;        // slots looked at while exchanging; more is slower
};

// Least weighted seconds plus the price of the copies, within the budget, as far as it is found:
// order and copies in turn until neither changes, then single exchanges from there and from places
// nearby, as long as `effort` lasts. For a handful of atoms that nearly always is the optimum.
// Deterministic. Where jumps cost nothing (solid state), nothing is copied.
Arrangement arrange(const SharedContent& content, const ArrangeOptions& options);

// What copies of so many bytes would bring.
struct PricePoint {
  uint64_t copied_bytes = 0;
  double weighted_seconds = 0;  // as ArrangementCost has it
};

// From no copy to a copy of everything for everyone, each point with more bytes and fewer seconds
// than the one before; a handful of points, or one if nothing can be won. For a large content the
// order stays that of `chosen`, for a small one each point has its own; `effort` is for each.
std::vector<PricePoint> price_curve(const SharedContent& content, const Arrangement& chosen,
                                    uint64_t effort);

}  // namespace seekless
