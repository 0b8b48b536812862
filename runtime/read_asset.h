// Reads one asset, or a part of it, from its pack, outside of sweeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/decoded_frames.h"
#include "runtime/error.h"
#include "runtime/pack_set.h"

namespace seekless::runtime {

// Fills `into` from `offset_bytes` of the asset on. The caller ensures that the asset is long
// enough. A whole asset is checked against its hash. Partly wanted frames are cached in `decoded`;
// without it, each allocates memory. In a compressed pack, each frame that is read is checked
// against its checksum.
Result<void> read_asset(const PlacedAsset& asset, uint64_t offset_bytes, std::span<std::byte> into,
                        DecodedFrames* decoded = nullptr);

// Returns all bytes of an asset of an uncompressed pack, in the mapped file. The first call, and
// every call after the file has changed, loads them into memory and checks them against the asset's
// hash. Valid as long as the pack. Errors: those of Pack::mapped, FileMap::bring and check_content.
// `now` is now_us(), which takes a noticeable share of the time.
Result<std::span<const std::byte>> map_asset(const PlacedAsset& asset, uint64_t now);

// Checks by its hash that `content` is the whole asset; the error names the asset. Reads a table on
// first use.
Result<void> check_content(const PlacedAsset& asset, std::span<const std::byte> content);

// Returns its path; if that can't be read, "#" and its number in the pack.
std::string name_of(const PlacedAsset& asset);

}  // namespace seekless::runtime
