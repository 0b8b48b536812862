// What scenarios read of a pack when they sweep it, and how much less it would be without what is
// dead in it: the gaps that a sweep jumps over or reads through. Pure.
#pragma once

#include <cstdint>

#include "packer/keep/internal/reader_sets.h"
#include "packer/layout/layout.h"

namespace seekless {

// Of a pack with places: bytes of the blocks that each scenario needs, and of the gaps between
// them. A gap counts as no more than `read_through_bytes`, which are as dear as a jump; and coming
// to the pack counts as a jump. The sum over all scenarios.
uint64_t swept_bytes(const LaidPack& pack, const ReaderSets& sets, uint64_t read_through_bytes);

// The same of what was recorded in a whole set whose packs have places, as if its files lay one
// after the other behind the catalog: as a fresh installation has them.
uint64_t swept_bytes(const Layout& layout);

}  // namespace seekless
