// Improves an order of atoms by its real cost: moves each atom to the place with the fewest
// weighted seconds, with all others in place. Pure.
#pragma once

#include <cstdint>

#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Moves the atoms of `arrangement.order`, one by one, next to atoms that nearly the same scenarios
// read from the common pack. It continues as long as that helps, until about `effort` slots have
// been looked at. The result never costs more. Deterministic.
void move_atoms(const SharedContent& content, uint64_t effort, Arrangement& arrangement);

}  // namespace seekless
