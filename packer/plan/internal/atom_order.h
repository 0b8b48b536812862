// Orders the atoms in the common pack for given copies. The order is a tour in which neighbours
// have nearly the same readers, because each reader that begins or ends between two neighbours
// costs about half a jump.
#pragma once

#include <cstdint>

#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Changes `arrangement.order` if that makes the arrangement cheaper; the result never costs more.
// Tries several constructions; with up to some hundred atoms, improves each by moving and reversing
// stretches. Then moves single atoms of the cheapest order as long as that saves time. The time
// grows a little faster than the number of slots. `effort` means the same as in move_atoms.
void order_atoms(const SharedContent& content, uint64_t effort, Arrangement& arrangement);

}  // namespace seekless
