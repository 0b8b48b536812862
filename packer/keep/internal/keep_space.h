// Brings the space of one pack from the earlier content to today's, so that a patch from one to the
// other is small. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/keep/pack_space.h"
#include "packer/keep/patch_price.h"

namespace seekless {

// `space` was restored, and what is gone vacated. `price` knows how items lay, `is_edited` which
// have other content now, by item. `loose` are items without a place yet.
void keep_space(PackSpace& space, const PatchPrice& price, const std::vector<char>& is_edited,
                std::span<const uint32_t> loose);

}  // namespace seekless
