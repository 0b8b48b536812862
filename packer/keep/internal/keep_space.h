// Moves the items of one pack from their earlier places to today's, so that a patch between the two
// builds is small. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/keep/pack_space.h"
#include "packer/keep/patch_price.h"

namespace seekless {

// `space` must have been restored, and the places of gone items vacated. `price` knows how items
// lay. `is_edited` is indexed by item and marks changed content. `loose` are items without a place
// yet.
void keep_space(PackSpace& space, const PatchPrice& price, const std::vector<char>& is_edited,
                std::span<const uint32_t> loose);

}  // namespace seekless
