// Which scenario gets copies of its own, the order in the common pack being given: copying a run of
// needs saves the jump to it, and costs its bytes.
#pragma once

#include <cstdint>

#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Chooses anew for all scenarios, each for itself: the copies for which weighted seconds plus a
// price times the bytes copied are least. A shortest path over the scenario's needs, from one that
// it reads from the common pack to the next, so it is the optimum for one scenario with all others
// as they are; time grows with the number of slots. At most `budget_bytes` of copies: at the least
// price not below `price_s_per_byte` at which they fit (Lagrange's multiplier), and what then still
// fits of the next cheaper choice.
void choose_copies_within(const SharedContent& content, double price_s_per_byte,
                          uint64_t budget_bytes, Arrangement& arrangement);

}  // namespace seekless
