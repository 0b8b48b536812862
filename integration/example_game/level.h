// Loads a map: first its sweep, in the order of the disk, and then the assets that patches and mods
// have replaced.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "asset_store.h"

namespace game {

// The figures that a loading screen shows.
struct Progress {
  double share = 0;  // 0 to 1
  size_t assets = 0;
};

struct LoadReport {
  size_t swept = 0;                   // assets that the sweep delivered
  std::vector<std::string> replaced;  // assets that a later mount replaces
  std::vector<std::string> deleted;
  std::vector<std::string> failed;  // the map goes on without them
  int64_t wanted_after = -1;        // number of assets that arrived before the wanted one
};

// Calls `frame` at least every 16 ms or so. `wanted` (may be NULL) is a path that is suddenly
// needed when a quarter has been loaded.
skl::Result<LoadReport> load_level(skl::Context& context, const char* map, const char* wanted,
                                   AssetStore& store,
                                   const std::function<void(const Progress&)>& frame);

}  // namespace game
