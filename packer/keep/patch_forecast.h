// How large a patch from one build to the next will be, before anything is packed, under the two
// models that patching systems follow. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/keep/lock.h"
#include "packer/layout/layout.h"

namespace seekless {

struct PatchBytes {
  uint64_t grid_bytes = 0;   // chunks of 1 MiB, from the start of each file, that are new
  uint64_t chunk_bytes = 0;  // content-defined chunks, of 8 KiB on average, that are new

  PatchBytes& operator+=(const PatchBytes& other);
  bool operator==(const PatchBytes&) const = default;
};

struct PackForecast {
  std::string name;         // without ".skl"
  uint64_t file_bytes = 0;  // of the new pack
  PatchBytes patch;         // tables included
};

struct PatchForecast {
  std::vector<PackForecast> packs;  // of the new layout, in its order
  PatchBytes catalog;
  uint64_t edited_bytes = 0;  // of assets that are new or have other content, each copy once

  PatchBytes total() const;
};

// From the packs of `old` to those of `now`, both uncompressed; `now` has places, and `hashed` all
// its assets. Where nothing changed, both are 0.
PatchForecast predict_patch(const LayoutLock& old, const Layout& now, const HashedContent& hashed);

}  // namespace seekless
