// Arranges the assets that several scenarios share: finds the common pack's order and the copies in
// sub-packs together.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/drive/load_cost.h"
#include "packer/plan/internal/arranged_before.h"
#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Searches, within the budget, for the arrangement with the lowest sum of weighted seconds and the
// price of copies. It alternates between order and copies until neither changes; for large content
// it starts with few copies and allows more step by step. Then it tries single exchanges from there
// and from nearby arrangements, as long as `effort` lasts. For a handful of atoms the result is
// nearly always the optimum. Deterministic. Copies nothing if jumps cost nothing (SSDs).
Arrangement arrange(const SharedContent& content, const ArrangeOptions& options);
// Does the same, but doesn't search again for what is in `before`.
Arrangement arrange(const SharedContent& content, const ArrangeOptions& options,
                    ArrangedBefore& before);

// Holds figures of the whole content, which no arrangement changes.
struct WholeContent {
  uint64_t bytes = 0;  // size of the whole content, each asset counted once
  // Number of scenarios that count; these are the recorded ones, which come first.
  uint32_t recorded = 0;
  // Weighted seconds of these scenarios that ArrangementCost doesn't count.
  double other_seconds = 0;
};

// Returns what copies would save, from no copies to all copies. Each point has more bytes and fewer
// seconds than the previous one. There are a handful of points, or one if copies save nothing. In
// large content each order is derived from the previous one; in small content each is searched from
// scratch. `effort` applies to each point.
std::vector<CopyPrice> price_curve(const SharedContent& content, const WholeContent& whole,
                                   uint64_t effort, ArrangedBefore& before);

}  // namespace seekless
