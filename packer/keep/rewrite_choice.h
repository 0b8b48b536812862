// Which packs of a set are made anew in a build, if packs stay otherwise. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/keep/generations.h"

namespace seekless {

struct PackState {
  enum Kind : uint8_t { home, overlay, cold } kind = home;
  uint64_t live_bytes = 0;
  uint64_t dead_bytes = 0;
  uint64_t returning_bytes = 0;  // that it would have again, made anew

  double dead_share() const {
    const auto bytes = static_cast<double>(live_bytes + dead_bytes);
    return bytes > 0 ? static_cast<double>(dead_bytes) / bytes : 0;
  }
};

// What this build has to write anyway, and all of today's content, each asset once.
struct NewBytes {
  uint64_t read_bytes = 0;  // for an overlay
  uint64_t cold_bytes = 0;  // for a cold generation
  uint64_t content_bytes = UINT64_MAX;
};

// A set has no more overlays than this: each can cost a sweep a seek.
inline constexpr size_t kMostOverlays = 4;
// Nor cold packs than this, which cost files alone.
inline constexpr size_t kMostColdPacks = 8;

// By pack. Overlays first, the smallest first; then whatever has more dead in it than `max_dead`,
// the worst first; each as far as the price allows. Whatever the price, the smallest overlays and
// cold packs merge where there would be too many; those that fill half of `max_pack_bytes` aren't
// counted.
std::vector<bool> choose_rewrites(std::span<const PackState> packs, const NewBytes& fresh,
                                  const GenerationPrices& prices);

}  // namespace seekless
