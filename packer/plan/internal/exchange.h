// Improves an arrangement by small changes, each tried on the real cost.
#pragma once

#include <cstdint>

#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Adds and drops copies (one, two at once, all of an atom, all of a scenario), and moves and
// reverses stretches of the order, until nothing helps. Then it restarts from the best arrangement
// after a few random changes. It stops once options.effort slots have been looked at. The result
// never costs more. Deterministic.
void exchange(const SharedContent& content, const ArrangeOptions& options,
              Arrangement& arrangement);

}  // namespace seekless
