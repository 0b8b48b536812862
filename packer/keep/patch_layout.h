// Places assets so that builds differ little: an edit should change few chunks of a patch. Later
// builds keep the places from the previous layout.lock. Pure.
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

// Patching systems that cut files at fixed offsets use such a grid: 1 MiB, as SteamPipe does.
inline constexpr uint64_t kGridBytes = 1024 * 1024;
// If holes take a larger share of the packs' bytes, a new layout is due.
inline constexpr double kMostPaddingShare = 0.06;

// Counts bytes of packs that are neither content nor tables.
struct Padding {
  uint64_t file_bytes = 0;  // size of all packs
  uint64_t padding_bytes = 0;

  double share() const {
    return file_bytes == 0 ? 0
                           : static_cast<double>(padding_bytes) / static_cast<double>(file_bytes);
  }
};
// All packs of the layout must have places. Room reserved for tables counts as padding unless the
// tables may need it.
Padding padding_of(const Layout& layout);

// Gives each pack of a fresh layout places. Assets up to 1 MiB don't cross a multiple of 1 MiB in
// the file if that costs little. The hole before such a line is filled with smaller assets that
// come soon and have the same readers. There is room in front for the tables of some more assets.
// Equal content gets one place. `hashed` must have all assets of the layout.
Layout place_layout(Layout planned, const HashedContent& hashed);

struct MovedAsset {
  std::string pack;
  std::string path;
  PlaceInPack from;
  PlaceInPack to;
};

// A locked layout with today's content.
struct LockedAssets {
  // Has the scenarios, sets and packs of the lock, but no predictions and no sources of the
  // content.
  Layout layout;
  std::vector<std::string> added;    // paths, sorted; in no scenario until a new layout is made
  std::vector<std::string> removed;  // paths, sorted
  std::vector<std::string> changed;  // paths of changed content, sorted
  std::vector<MovedAsset> moved;     // assets, changed or not, that lie elsewhere now
  Padding padding;
  uint64_t fresh_bytes = 0;      // content that no pack has under its path; set if packs stay
  bool is_relayout_due = false;  // padding is above kMostPaddingShare
};

// Moves only what must move. An edited asset keeps its place if it fits; otherwise its cell of 1
// MiB is rearranged. If that isn't enough, an item of the cell moves to a hole in a cell that
// changes anyway, to any other hole, or to the end. Larger assets push what follows back by whole
// MiB. Removed assets leave holes; empty MiB are removed. New assets go to the pack that `rules`
// pin them to, if it exists, or to the cold one. `rules` (alignment, exclusion) is indexed by asset
// of the content; if empty, defaults apply.
LockedAssets keep_layout(const LayoutLock& lock, const HashedContent& hashed,
                         std::span<const AssetRules> rules = {});

}  // namespace seekless
