// Predicts, before anything is packed, what an update from one build to the next will cost the
// clients of clients.h. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/keep/lock.h"
#include "packer/layout/layout.h"
#include "packer/update/clients.h"
#include "packer/update/internal/pack_bytes.h"

namespace seekless {

struct PackForecast {
  std::string name;                       // without ".skl"
  uint64_t file_bytes = 0;                // size of the new pack without compression
  std::optional<uint64_t> stays_as = {};  // id of a pack that stays
  bool is_changed = false;  // true if it differs from the old pack of this name, or there was none
  PatchBytes patch;         // includes tables; bytes in several packs count for the first
};

// Describes an asset that causes files to be rewritten.
struct CostlyAsset {
  std::string path;
  uint64_t size_bytes = 0;
  // The bytes of the asset's files, divided among the new content in them.
  uint64_t written_bytes = 0;
};
inline constexpr size_t kCostlyAssets = 10;

struct PatchForecast {
  std::vector<PackForecast> packs;  // packs of the new layout, in its order
  PatchBytes catalog;
  uint64_t edited_bytes = 0;  // size of new contents; each counts once, whatever its copies
  SetChange change;           // bytes of each changed file, the catalog last
  // The kCostlyAssets assets that cause the most writing, largest first.
  std::vector<CostlyAsset> assets;

  PatchBytes total() const;
};

// Predicts the change from the packs of `old` to those of `now`, both uncompressed. `now` must have
// places, and `hashed` all its assets. If nothing changed, all figures are 0.
PatchForecast predict_patch(const LayoutLock& old, const Layout& now, const HashedContent& hashed,
                            const KeptContent& kept = {});

}  // namespace seekless
