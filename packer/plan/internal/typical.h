// Finds the typical scenario: the assets that at least a certain share of the maps need. For an
// unrecorded map, a reader sweeps the typical scenario, and requests the rest as needed. If the
// map's files tell what it will read, the map has a sweep of its own, with both. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/plan/draft.h"
#include "packer/plan/needs.h"
#include "packer/plan/predict.h"

namespace seekless {

struct Typical {
  std::vector<uint32_t> assets;  // in the content, ascending; empty if sweeping saves nothing
  double share = 0;              // at least this share of the maps needs each of the assets
  bool with_mentioned = false;   // true if it also pays to sweep what a map's own files mention
  LoadForecast load;             // mean for maps that were left out when finding the typical assets
  // The same mean if the sweep also reads what the map's files mention.
  LoadForecast mentioned_load;
  double needed_bytes = 0;  // mean bytes that such a map needs
};

// Lists the assets that each map's own files mention, ascending.
struct MentionedByMaps {
  std::vector<std::vector<uint32_t>> recorded;    // indexed by place in `maps`; empty if not known
  std::vector<std::vector<uint32_t>> unrecorded;  // one list for each of the content's other maps
};

// `maps` come from find_maps(). Chooses the share at which left-out maps load fastest. Assets that
// rules exclude aren't included. Makes one draft for each of up to `folds` parts of the maps.
Typical find_typical(const DraftInput& input, const Needs& needs, const std::vector<uint32_t>& maps,
                     const MentionedByMaps& mentioned, uint32_t folds);

}  // namespace seekless
