// Improves an arrangement by small changes, each tried on the real cost.
#pragma once

#include <cstdint>

#include "packer/layout/shared_content.h"

namespace seekless {

// What an arrangement is judged by.
struct ArrangementGoal {
  double price_s_per_byte = 0;         // of copies
  uint64_t budget_bytes = UINT64_MAX;  // most bytes of copies

  // Infinity beyond the budget.
  double price(const SharedContent& content, ArrangementCost& cost,
               const Arrangement& arrangement) const;
};

// Gives and takes copies (one, two at a time, all of an atom, all of a scenario), moves and turns
// stretches of the order, until nothing helps; then starts again from a few random changes of the
// best. Stops once `effort` slots have been looked at. Never makes it worse. Deterministic.
void exchange(const SharedContent& content, const ArrangementGoal& goal, uint64_t effort,
              Arrangement& arrangement);

}  // namespace seekless
