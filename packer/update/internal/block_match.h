// Predicts, before a new pack is written, which blocks of an old pack rsync would find in it. Pure.
#pragma once

#include <cstdint>

#include "packer/update/internal/pack_bytes.h"

namespace seekless {

// Returns the bytes of whole blocks of the old pack that the new one has anywhere.
uint64_t matched_block_bytes(const PackBytes& old, const PackBytes& now, const Heirs& heirs);

}  // namespace seekless
