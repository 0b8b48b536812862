// What an update from one build to the next will cost, before anything is packed, for the clients
// of clients.h. Pure.
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
  uint64_t file_bytes = 0;                // of the new pack, if it isn't compressed
  std::optional<uint64_t> stays_as = {};  // the id of a pack that stays
  bool is_changed = false;                // against the pack of this name, or there was none
  PatchBytes patch;  // tables included; what several packs have, the first of them
};

// An asset for whose sake files are touched.
struct CostlyAsset {
  std::string path;
  uint64_t size_bytes = 0;
  uint64_t written_bytes = 0;  // of the files that it lies in, its share among what is new there
};
inline constexpr size_t kCostlyAssets = 10;

struct PatchForecast {
  std::vector<PackForecast> packs;  // of the new layout, in its order
  PatchBytes catalog;
  uint64_t edited_bytes = 0;        // of contents that are new, each once whatever its copies
  SetChange change;                 // the same by file, the catalog last
  std::vector<CostlyAsset> assets;  // for whose sake most is written, most first: kCostlyAssets

  PatchBytes total() const;
};

// From the packs of `old` to those of `now`, both uncompressed; `now` has places, and `hashed` all
// its assets. Where nothing changed, all is 0.
PatchForecast predict_patch(const LayoutLock& old, const Layout& now, const HashedContent& hashed,
                            const KeptContent& kept = {});

}  // namespace seekless
