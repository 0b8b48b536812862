// Chooses which scenarios get their own copies, for a given order of the common pack. Copying
// neighbouring needs saves the jump to them, and costs their bytes.
#pragma once

#include <cstdint>

#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Chooses the copies of each scenario independently: those with the lowest sum of weighted seconds
// and price times copied bytes. This is a shortest path over the scenario's needs, from one that it
// reads from the common pack to the next, so it is the optimum for one scenario with all others
// unchanged. The time grows with the number of slots. To copy at most `budget_bytes`, it uses the
// lowest price, at least `price_s_per_byte`, at which the copies fit (Lagrange's multiplier), and
// adds what still fits of the next cheaper choice.
void choose_copies_within(const SharedContent& content, double price_s_per_byte,
                          uint64_t budget_bytes, Arrangement& arrangement);

}  // namespace seekless
