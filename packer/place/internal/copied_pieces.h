// Copies what a file holds between its holes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "packer/host/extents.h"

namespace seekless {

// To `begin_bytes` of `to` and on; `goes_on` is asked now and then. 0, or why not: EBUSY, where
// `from` has become shorter, or `goes_on` says no.
int copy_pieces(
    int from, std::span<const Extent> pieces, int to, uint64_t begin_bytes,
    const std::function<bool()>& goes_on = [] { return true; });

// Room for all pieces at once, which file systems try to give in one piece; those that can't
// reserve have none to give. 0, or why not.
int reserve_pieces(int file, std::span<const Extent> pieces);

}  // namespace seekless
