// Places that change little from build to build: where assets lie is decided so that an edit
// changes few chunks of a patch, and is kept from the layout.lock of the build before. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/keep/lock.h"
#include "packer/layout/layout.h"
#include "packer/layout/rules.h"

namespace seekless {

// The grid of patching systems that cut files at fixed places: 1 MiB, as SteamPipe does.
inline constexpr uint64_t kGridBytes = 1024 * 1024;
// Share of the packs' bytes that holes may take before a new layout is due.
inline constexpr double kMostPaddingShare = 0.06;

// Bytes of packs that are neither content nor tables.
struct Padding {
  uint64_t file_bytes = 0;  // of all packs
  uint64_t padding_bytes = 0;

  double share() const {
    return file_bytes == 0 ? 0
                           : static_cast<double>(padding_bytes) / static_cast<double>(file_bytes);
  }
};
// Of a layout whose packs have places. Reserved room for tables counts as padding as far as the
// tables may not need it.
Padding padding_of(const Layout& layout);

// Gives each pack of a fresh layout places: assets up to 1 MiB don't straddle a multiple of 1 MiB
// in the file where that costs little, the hole before one is filled with smaller assets that come
// soon and have the same readers, and there is room in front for the tables of some more assets.
// Equal content gets one place. `hashed` has all the layout's assets.
Layout place_layout(Layout planned, const HashedContent& hashed);

struct MovedAsset {
  std::string pack;
  std::string path;
  PlaceInPack from;
  PlaceInPack to;
};

// A locked layout with today's content.
struct LockedAssets {
  // Scenarios, sets and packs of the lock; without predictions, and without the content's sources.
  Layout layout;
  std::vector<std::string> added;    // paths, sorted; in no scenario until a new layout is made
  std::vector<std::string> removed;  // paths, sorted
  std::vector<std::string> changed;  // paths of other content, sorted
  std::vector<MovedAsset> moved;     // assets of the old content or the new that lie elsewhere now
  Padding padding;
  uint64_t fresh_bytes = 0;      // of content that no pack has by its path; where packs stay
  bool is_relayout_due = false;  // padding is above kMostPaddingShare
};

// Nothing moves but what has to: an edited asset stays where it lies if it fits; else the cell of
// 1 MiB it lies in is arranged anew; else something of that cell goes to a hole of a cell that
// changes anyway, to any other hole, or to the end. Larger assets push what is after them by whole
// MiB. Removed assets leave holes; empty MiB are taken out. New assets go to the pack that `rules`
// pin them to, if there is one of this name, or to the cold one. `rules` are by asset of the
// content (alignment, exclusion); none: defaults.
LockedAssets keep_layout(const LayoutLock& lock, const HashedContent& hashed,
                         std::span<const AssetRules> rules = {});

}  // namespace seekless
