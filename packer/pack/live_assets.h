// Packs that stay from release to release hold assets that their set has elsewhere now, or no more.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/catalog.h"

namespace seekless {

// Whether the catalog names this asset of a pack, whose path has this hash.
inline bool names_asset(const runtime::Catalog& catalog, uint32_t pack, uint32_t asset,
                        uint64_t path_hash) {
  const uint32_t number = catalog.find(path_hash);
  if (number == format::kEmptySlot) return false;
  return std::ranges::any_of(
      catalog.places(catalog.assets()[number]),
      [&](const format::Place& place) { return place.pack == pack && place.asset == asset; });
}

}  // namespace seekless
