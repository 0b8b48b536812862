// Chooses which of several assets with one path a game gets: the one scanned last.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"

namespace seekless {

// `scanned` has its assets in any order. For one path, the asset with the greatest (source, entry)
// wins, and the others become Content::shadowed. `layers` is indexed by source: sources of one
// layer have the same number, and within it a path may not have two spellings. Fails if it has, or
// if a path is the folder of another path, unless any names are allowed.
Result<Content> keep_winners(Content scanned, std::vector<uint32_t> layers,
                             const ScanOptions& options);

}  // namespace seekless
