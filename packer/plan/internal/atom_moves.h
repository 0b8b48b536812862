// Betters an order of atoms by what it costs itself: each goes to where weighted seconds are least,
// the others being as they are. Pure.
#pragma once

#include <cstdint>

#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Moves atoms of `arrangement.order` beside those that nearly the same scenarios read from the
// common pack, one after the other, as long as that helps, and until about `effort` slots have been
// looked at. Never makes it dearer. Deterministic.
void move_atoms(const SharedContent& content, uint64_t effort, Arrangement& arrangement);

}  // namespace seekless
