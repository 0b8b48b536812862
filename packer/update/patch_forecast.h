// What an update from one build to the next will cost, before anything is packed, for the clients
// of clients.h. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "packer/keep/lock.h"
#include "packer/layout/layout.h"
#include "packer/update/clients.h"

namespace seekless {

// What an edited asset keeps of the bytes that it had, as far as somebody has looked.
struct KeptBytes {
  format::ContentHash old_hash = {};
  uint64_t front_bytes = 0;        // that begin both
  uint64_t back_bytes = 0;         // that end both, without those
  uint64_t fresh_chunk_bytes = 0;  // in content-defined chunks that it didn't have
};
// By the new content. What isn't in it keeps nothing: then a forecast is the most that it can be.
using KeptContent = std::map<format::ContentHash, KeptBytes>;

struct PackForecast {
  std::string name;                       // without ".skl"
  uint64_t file_bytes = 0;                // of the new pack, if it isn't compressed
  std::optional<uint64_t> stays_as = {};  // the id of a pack that stays
  bool is_changed = false;                // against the pack of this name, or there was none
  PatchBytes patch;  // tables included; what several packs have, the first of them
};

struct PatchForecast {
  std::vector<PackForecast> packs;  // of the new layout, in its order
  PatchBytes catalog;
  uint64_t edited_bytes = 0;  // of contents that are new, each once whatever its copies
  SetChange change;           // the same by file, the catalog last

  PatchBytes total() const;
};

// From the packs of `old` to those of `now`, both uncompressed; `now` has places, and `hashed` all
// its assets. Where nothing changed, all is 0.
PatchForecast predict_patch(const LayoutLock& old, const Layout& now, const HashedContent& hashed,
                            const KeptContent& kept = {});

}  // namespace seekless
