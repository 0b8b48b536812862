// Reads one asset, or a part of it, from its pack: what is asked for one by one, outside of sweeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/error.h"
#include "runtime/pack_set.h"

namespace seekless::runtime {

// Fills `into` from `offset_bytes` of the asset on, which has them. The whole asset is checked
// against its hash.
Result<void> read_asset(const PlacedAsset& asset, uint64_t offset_bytes, std::span<std::byte> into);

// Whether `content` is all of the asset, by its hash; the error names it. Reads a table on first
// use.
Result<void> check_content(const PlacedAsset& asset, std::span<const std::byte> content);

// Its path; where that can't be read, "#" and its number in the pack.
std::string name_of(const PlacedAsset& asset);

}  // namespace seekless::runtime
