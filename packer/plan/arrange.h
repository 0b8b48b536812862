// How several scenarios' shared assets are arranged: the order of the common pack and the copies in
// sub-packs, found together.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/drive/load_cost.h"
#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Least weighted seconds plus the price of the copies, within the budget, as far as it is found:
// order and copies in turn until neither changes (in a large content from few copies to more), then
// single exchanges from there and from places nearby, as long as `effort` lasts. For a handful of
// atoms that nearly always is the optimum. Deterministic. Where jumps cost nothing (solid state),
// nothing is copied.
Arrangement arrange(const SharedContent& content, const ArrangeOptions& options);

// What of the whole content no arrangement changes.
struct WholeContent {
  uint64_t bytes = 0;     // of all of it, each once
  uint32_t recorded = 0;  // scenarios whose seconds count: the first ones, without the typical one
  double other_seconds = 0;  // of those, beyond what ArrangementCost counts; weighted
};

// What copies would bring: from no copy to a copy of everything for everyone, each point with more
// bytes and fewer seconds than the one before; a handful of points, or one if nothing can be won.
// A large content's orders are found from each other, those of a small one anew; `effort` is for
// each.
std::vector<CopyPrice> price_curve(const SharedContent& content, const WholeContent& whole,
                                   uint64_t effort);

}  // namespace seekless
