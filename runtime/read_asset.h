// Reads one asset, or a part of it, from its pack: what is asked for one by one, outside of sweeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/error.h"
#include "runtime/pack_set.h"

namespace seekless::runtime {

// Fills `into` from `offset_bytes` of the asset on, which has them. The whole asset is checked
// against its hash.
Result<void> read_asset(const PlacedAsset& asset, uint64_t offset_bytes, std::span<std::byte> into);

}  // namespace seekless::runtime
