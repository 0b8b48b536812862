// Reads one asset, or a part of it, from its pack, when it is asked for outside of sweeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/decoded_blocks.h"
#include "runtime/error.h"
#include "runtime/pack_set.h"

namespace seekless::runtime {

// Fills `into` from `offset_bytes` of the asset on, which has them. The whole asset is checked
// against its hash. Blocks that have to be decoded for a part of them are looked for in `decoded`,
// and kept there; without it, each takes memory of its own.
Result<void> read_asset(const PlacedAsset& asset, uint64_t offset_bytes, std::span<std::byte> into,
                        DecodedBlocks* decoded = nullptr);

// Whether `content` is all of the asset, by its hash; the error names it. Reads a table on first
// use.
Result<void> check_content(const PlacedAsset& asset, std::span<const std::byte> content);

// Its path; where that can't be read, "#" and its number in the pack.
std::string name_of(const PlacedAsset& asset);

}  // namespace seekless::runtime
