// Improves an order of atoms on the real cost: moves each atom to where the weighted seconds are
// least, with all others in place. Pure.
#pragma once

#include <cstdint>

#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Moves the atoms of `arrangement.order`, one by one, next to atoms that nearly the same scenarios
// read from the common pack. It goes on as long as that helps, until about `effort` slots have been
// looked at. The result never costs more. Deterministic.
void move_atoms(const SharedContent& content, uint64_t effort, Arrangement& arrangement);

}  // namespace seekless
