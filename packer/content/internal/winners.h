// Of the assets that were found under one path, the one that a game gets: the later one.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"

namespace seekless {

// `scanned` has its assets in any order; of one path, that with the greatest (source, entry) wins,
// and the others become Content::shadowed. `layers`, by source: the same number for sources that
// are one layer, within which no path may stand in two spellings. Error: that, or a path that is a
// folder of another one, unless any names go.
Result<Content> keep_winners(Content scanned, std::vector<uint32_t> layers,
                             const ScanOptions& options);

}  // namespace seekless
