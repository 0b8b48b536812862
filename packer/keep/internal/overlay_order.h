// In which order an overlay has its assets, so that scenarios find what they need of it side by
// side. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/keep/internal/reader_sets.h"

namespace seekless {

struct OverlayAsset {
  uint32_t set = 0;  // of who reads it from the overlay; not empty
  uint64_t size_bytes = 0;
};

// Numbers of `assets`. Those of a set stay together, and as they are. The sets' order costs sweeps
// as few seeks as is found, where gaps up to `read_through_bytes` are read: what many read comes
// soon, and large parts of few readers go out of the way.
std::vector<uint32_t> overlay_order(std::span<const OverlayAsset> assets, const ReaderSets& sets,
                                    uint64_t read_through_bytes);

}  // namespace seekless
