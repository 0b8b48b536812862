// The order of atoms in the common pack, the copies being given: a tour in which neighbours have
// nearly the same readers, since each reader that comes or goes between two neighbours costs about
// half a jump.
#pragma once

#include <cstdint>

#include "packer/plan/internal/shared_content.h"

namespace seekless {

// Changes `arrangement.order` where that makes the arrangement cheaper; never makes it dearer.
// Several constructions; up to some hundred atoms each is improved by moving stretches and turning
// them round. The cheapest counts, and its atoms are moved one by one, by what that saves.
// Time grows a little faster than the number of slots.
// `effort`: as in move_atoms.
void order_atoms(const SharedContent& content, uint64_t effort, Arrangement& arrangement);

}  // namespace seekless
