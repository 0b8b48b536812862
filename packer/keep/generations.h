// Packs that stay as they are from release to release: what changes goes to an overlay that
// scenarios sweep beside them, or to a cold generation, and a pack is made anew only when it pays.
// So an update writes little. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "packer/keep/lock.h"
#include "packer/keep/patch_layout.h"
#include "packer/layout/rules.h"
#include "packer/profile/profile.h"

namespace seekless {

// What a build may spend on keeping the set in order.
struct GenerationPrices {
  // Share of a pack's content that may be dead before the pack is made anew. 0 to 1.
  double max_dead = 0.2;
  // Bytes that a build may write for each byte that is new or edited, that one included: overlays
  // and packs that are made anew. 1 or more. Half as many again for packs that sweeps lose much by;
  // four times as many where more is dead than `max_dead` in the whole set.
  double rewrite_price = 5;
  // Content that a pack may have at the most, where no single asset has more; 1 or more.
  uint64_t max_pack_bytes = UINT64_MAX;
};

// Today's content in the packs of `lock`:
// - An asset that is as it was stays, and so do the bytes of its pack. One that has changed or gone
//   is dead there.
// - What scenarios read of the changed ones goes to an overlay, where what the same scenarios lack
//   lies together, in the order of the packs they come from: one copy, whatever copies there were.
//   As far as the price allows, overlays merge into one with each build; else a build adds one.
// - What is new goes there, too, if the recordings in `profile` (may be null) say that scenarios of
//   the lock read it.
// - Everything else goes to a cold generation.
// - Packs of which more than `max_dead` is dead are made anew, and so are those of which sweeps
//   read or jump over so much that is dead that it is worth it: what gains sweeps most for each
//   byte that is written comes first, as far as the price allows. What lay in overlays for them
//   returns, except what had its place there as the equal of something that more read; but what a
//   small pack has joins the overlay, where that is one that is made anew.
// - A large pack lies in parts, which are packs of their own, so that a build can afford one.
// The packs that stay have ids and dead assets; their bytes can't be made from content.
// As keep_layout(), but for what follows from that: `padding` counts what is dead.
LockedAssets keep_generations(const LayoutLock& lock, const HashedContent& hashed,
                              std::span<const AssetRules> rules, const GenerationPrices& prices,
                              const Profile* profile = nullptr);

// What scenarios read as `fresh` has it, a layout of today's content with places; nothing of it is
// in an overlay. Everything else stays in the cold packs of `lock`, or goes to a cold generation.
// What was added, changed or removed since `lock` isn't told.
LockedAssets relay_generations(const LayoutLock& lock, const Layout& fresh,
                               const HashedContent& hashed, std::span<const AssetRules> rules,
                               const GenerationPrices& prices);

// Gives each pack of a fresh layout places for such a set: one asset right after the other, in
// parts where one pack would be too large.
Layout place_tightly(Layout planned, const HashedContent& hashed,
                     const GenerationPrices& prices = {});

}  // namespace seekless
