// Copies the pieces of a file that lie between its holes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "packer/host/extents.h"

namespace seekless {

// Copies to `begin_bytes` of `to` and on; `goes_on` is asked now and then. Returns 0, or the error:
// EBUSY if `from` has become shorter, or `goes_on` returns false.
int copy_pieces(
    int from, std::span<const Extent> pieces, int to, uint64_t begin_bytes,
    const std::function<bool()>& goes_on = [] { return true; });

// Reserves room for all pieces at once, which file systems try to give in one piece; file systems
// that can't reserve are left as they are. Returns 0, or the error.
int reserve_pieces(int file, std::span<const Extent> pieces);

}  // namespace seekless
