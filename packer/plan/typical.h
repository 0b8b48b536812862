// The typical scenario: what at least a good share of the maps need. Readers sweep it for a map
// that nobody recorded, and read the rest as it is asked for. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/plan/draft.h"
#include "packer/plan/needs.h"
#include "packer/plan/predict.h"

namespace seekless {

struct Typical {
  std::vector<uint32_t> assets;  // of the content, rising; none: nothing is won by sweeping any
  double share = 0;              // at least so many of the maps need each
  LoadForecast load;        // of a map that the others' typical scenario was made without; mean
  double needed_bytes = 0;  // of such a map; mean
};

// `maps`: as find_maps() gives them. The share is the one that loads maps fastest that were left
// out. What rules leave out isn't in it. One draft for each of up to `folds` parts of the maps.
Typical find_typical(const DraftInput& input, const Needs& needs, const std::vector<uint32_t>& maps,
                     uint32_t folds);

}  // namespace seekless
