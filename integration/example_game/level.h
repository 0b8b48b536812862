// Loads a map: its sweep, in the order of the disk, and then what patches and mods have in place of
// some of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "asset_store.h"

namespace game {

// What a loading screen shows.
struct Progress {
  double share = 0;  // 0 to 1
  size_t assets = 0;
};

struct LoadReport {
  size_t swept = 0;                   // assets that came in the sweep
  std::vector<std::string> replaced;  // by a later mount
  std::vector<std::string> deleted;
  std::vector<std::string> failed;  // the map goes on without them
  int64_t wanted_after = -1;        // how many assets had come before the one that was wanted
};

// Calls `frame` at least every 16 ms or so. `wanted` (may be NULL) is a path that turns out to be
// needed at once when a quarter is there.
skl::Result<LoadReport> load_level(skl::Context& context, const char* map, const char* wanted,
                                   AssetStore& store,
                                   const std::function<void(const Progress&)>& frame);

}  // namespace game
