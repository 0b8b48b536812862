// Tells a pack's live assets from dead ones. A pack that stays from release to release holds dead
// assets, which its set now stores elsewhere or no longer has.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/catalog.h"

namespace seekless {

// Returns true if the catalog names this asset of a pack; `path_hash` is the hash of its path.
inline bool names_asset(const runtime::Catalog& catalog, uint32_t pack, uint32_t asset,
                        uint64_t path_hash) {
  const uint32_t number = catalog.find(path_hash);
  if (number == format::kEmptySlot) return false;
  return std::ranges::any_of(
      catalog.places(catalog.assets()[number]),
      [&](const format::Place& place) { return place.pack == pack && place.asset == asset; });
}

}  // namespace seekless
