// Improves an arrangement by small changes, each tried on the real cost.
#pragma once

#include <cstdint>

#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Gives and takes copies (one, two at a time, all of an atom, all of a scenario), moves and turns
// stretches of the order, until nothing helps; then starts again from a few random changes of the
// best. Stops once options.effort slots have been looked at. Never makes it worse. Deterministic.
void exchange(const SharedContent& content, const ArrangeOptions& options,
              Arrangement& arrangement);

}  // namespace seekless
