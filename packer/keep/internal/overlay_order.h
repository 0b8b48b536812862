// Orders the assets of an overlay so that each scenario finds its needs side by side. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/keep/internal/reader_sets.h"

namespace seekless {

struct OverlayAsset {
  uint32_t set = 0;  // scenarios that read the asset from the overlay; not empty
  uint64_t size_bytes = 0;
};

// Returns indices into `assets`. Assets of one set stay together, in their order. The order of the
// sets costs sweeps few seeks, if gaps of up to `read_through_bytes` are read: sets with many
// readers come first, and large ones with few readers last.
std::vector<uint32_t> overlay_order(std::span<const OverlayAsset> assets, const ReaderSets& sets,
                                    uint64_t read_through_bytes);

}  // namespace seekless
