// Keeps packs unchanged from release to release, so that an update writes little. Changed assets go
// to an overlay that scenarios sweep beside the packs, or to a cold generation. A pack is remade
// only if that pays. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/keep/internal/padding.h"
#include "packer/keep/lock.h"
#include "packer/layout/rules.h"
#include "packer/profile/profile.h"

namespace seekless {

// Limits what a build may write to keep the set in order.
struct GenerationPrices {
  // A pack is remade if a larger share of its content than this is dead; 0 to 1.
  double max_dead = 0.2;
  // Bytes that a build may write into overlays and remade packs for each byte that is new or
  // edited. 1 or more, because the byte itself counts. The limit is 1.5 times as high for packs
  // that slow sweeps a lot, and 4 times as high if more than `max_dead` of the whole set is dead.
  double rewrite_price = 5;
  // Maximum size of a pack's content; a single asset may be larger. 1 or more.
  uint64_t max_pack_bytes = UINT64_MAX;
};

// Holds a locked layout with today's content.
struct LockedAssets {
  // Holds the scenarios, sets and packs of the lock, but no predictions and no sources of content.
  Layout layout;
  std::vector<std::string> added;    // sorted paths; in no scenario until a new layout is made
  std::vector<std::string> removed;  // paths, sorted
  std::vector<std::string> changed;  // sorted paths of assets with other content
  Padding padding;
  uint64_t fresh_bytes = 0;      // content that no pack has under its path
  bool is_relayout_due = false;  // true if more content is dead than the prices allow
};

// Puts today's content into the packs of `lock`:
// - An asset that hasn't changed stays, and so do the bytes of its pack. An asset that has changed
//   or is gone is dead there.
// - Changed assets that scenarios read go to an overlay, one copy each. There, assets of the same
//   scenarios lie together, in the order of the packs they come from. As far as the price allows,
//   each build merges all overlays into one; otherwise it adds one.
// - New assets go to the overlay, too, if the recordings in `profile` (may be null) say that
//   scenarios of the lock read them.
// - Everything else goes to a cold generation.
// - Packs with more than `max_dead` dead content are remade; so are packs in which sweeps read or
//   jump over enough dead bytes. The packs that save sweeps most for each byte written come first,
//   as far as the price allows. Assets of a remade pack return to it from overlays. But a copy that
//   was in the pack only because an identical asset with more readers was there stays in its
//   overlay. A small pack goes into the overlay if that is remade.
// - A large pack is split into parts, which are packs of their own, so that a build can afford to
//   remake one.
// The packs that stay have ids and dead assets; their bytes can't be made from content. `padding`
// counts what is dead. `rules` are indexed by asset of the content; none: defaults.
LockedAssets keep_layout(const LayoutLock& lock, const HashedContent& hashed,
                         std::span<const AssetRules> rules, const GenerationPrices& prices,
                         const Profile* profile = nullptr);

// Lays out the assets that scenarios read as in `fresh`, a layout of today's content with places;
// none of them is in an overlay. Everything else stays in the cold packs of `lock`, or goes to a
// cold generation. Doesn't report what was added, changed or removed since `lock`.
LockedAssets relay_layout(const LayoutLock& lock, const Layout& fresh, const HashedContent& hashed,
                          std::span<const AssetRules> rules, const GenerationPrices& prices);

// Gives each pack of a fresh layout the places for such a set: assets lie one right after another,
// and a pack that is too large is split into parts.
Layout place_layout(Layout planned, const HashedContent& hashed,
                    const GenerationPrices& prices = {});

}  // namespace seekless
