// The typical scenario: what at least a good share of the maps need. Readers sweep it for a map
// that nobody recorded, and read the rest as it is asked for. Where the files of such maps tell
// what they will read, each has a sweep of its own, of both. Pure.
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
  bool with_mentioned = false;   // it pays to sweep what a map's own files mention, too
  LoadForecast load;  // of a map that the others' typical scenario was made without; mean
  // The same where the sweep brings what the map's files mention, too; if that pays.
  LoadForecast mentioned_load;
  double needed_bytes = 0;  // of such a map; mean
};

// What maps' own files mention, rising.
struct MentionedByMaps {
  std::vector<std::vector<uint32_t>> recorded;    // by place in `maps`; none of all: not known
  std::vector<std::vector<uint32_t>> unrecorded;  // of the content's other maps
};

// `maps`: as find_maps() gives them. The share is the one that loads maps fastest that were left
// out. What rules leave out isn't in it. One draft for each of up to `folds` parts of the maps.
Typical find_typical(const DraftInput& input, const Needs& needs, const std::vector<uint32_t>& maps,
                     const MentionedByMaps& mentioned, uint32_t folds);

}  // namespace seekless
