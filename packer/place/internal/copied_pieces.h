// Copies the pieces of a file that lie between its holes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "packer/host/extents.h"

namespace seekless {

// Copies to `to`, from `begin_bytes` on, as long as `goes_on` returns true. Returns 0, or the
// error: EBUSY if `from` has become shorter, or `goes_on` returns false.
int copy_pieces(
    int from, std::span<const Extent> pieces, int to, uint64_t begin_bytes,
    const std::function<bool()>& goes_on = [] { return true; });

// Reserves space for all pieces at once, because file systems try to allocate it in one piece. Does
// nothing on file systems that can't reserve. Returns 0, or the error.
int reserve_pieces(int file, std::span<const Extent> pieces);

}  // namespace seekless
