// Chooses which of several assets with one path a game gets: the one scanned last.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"

namespace seekless {

// Tells which sources were scanned together.
struct Layers {
  // An archive, or the loose files of a root.
  struct Layer {
    uint32_t root = 0;            // number of the root
    bool is_taken_apart = false;  // as ScanOptions::take_apart says
  };
  std::vector<Layer> layers;
  std::vector<uint32_t> of_source;  // index in `layers`
};

// `scanned` has its assets in any order. For one path, the asset with the greatest (source, entry)
// wins, and the others become Content::shadowed. Within a layer, a path may not have two
// spellings; a path of an archive that was taken apart may not be in another layer of its root.
// Fails if it is, or if a path is the folder of another path, unless any names are allowed.
Result<Content> keep_winners(Content scanned, Layers layers, const ScanOptions& options);

}  // namespace seekless
