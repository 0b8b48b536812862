// Counts the bytes of a pack that scenarios sweep, including the gaps that a sweep jumps over or
// reads through. The difference shows what removing dead content would save. Pure.
#pragma once

#include <cstdint>

#include "packer/keep/internal/reader_sets.h"
#include "packer/layout/layout.h"

namespace seekless {

// Returns the bytes that sweeps of a pack with places read, summed over all scenarios: the blocks
// that each scenario needs, and the gaps between them. A gap counts at most `read_through_bytes`,
// which cost as much as a jump. Moving to the pack counts as a jump.
uint64_t swept_bytes(const LaidPack& pack, const ReaderSets& sets, uint64_t read_through_bytes);

// Returns the same sum for recorded scenarios and a whole set whose packs have places. Its files
// count as lying in a row after the catalog, as in a fresh installation.
uint64_t swept_bytes(const Layout& layout);

}  // namespace seekless
