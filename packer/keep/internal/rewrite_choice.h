// Which packs of a set are made anew in a build, if packs stay otherwise. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/keep/generations.h"

namespace seekless {

struct PackState {
  enum PackOrigin : uint8_t { home, overlay, cold } kind = home;
  uint64_t live_bytes = 0;
  uint64_t dead_bytes = 0;
  // Of a home: what it would have again, made anew. Numbers of Returning.
  std::vector<uint32_t> returning = {};
  uint64_t returning_bytes = 0;
  // What sweeps would read less, made anew: a sum over scenarios, in which a jump counts as what is
  // read in its time.
  uint64_t swept_bytes = 0;

  double dead_share() const {
    const auto bytes = static_cast<double>(live_bytes + dead_bytes);
    return bytes > 0 ? static_cast<double>(dead_bytes) / bytes : 0;
  }
  // Bytes that sweeps read in vain for each one that making it anew writes. What is dead takes
  // room, too, which is cheap.
  double worth() const {
    constexpr double kRoomByteWorth = 0.1;
    const auto bytes = static_cast<double>(live_bytes + returning_bytes);
    const double in_vain =
        static_cast<double>(swept_bytes) + kRoomByteWorth * static_cast<double>(dead_bytes);
    return bytes > 0 ? in_vain / bytes : in_vain;
  }
};

// Content that homes lack.
struct Returning {
  static constexpr uint32_t kNew = UINT32_MAX;

  uint64_t size_bytes = 0;
  uint32_t homes = 0;       // that lack it
  uint32_t overlay = kNew;  // number of the pack that has it instead; kNew: this build brings it
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

// From this worth on a pack is made anew before it is dead to the share that it may be.
inline constexpr double kLeastWorth = 0.05;

// By pack: what is due, in the order of its worth, as far as the price allows.
// - Packs that have more than `max_dead` dead in them. Cold ones come last unless more than
//   `max_dead` of the whole set is dead, and wait until what is written for each byte that is freed
//   is cheap.
// - Homes of which sweeps read so much in vain that it is worth it.
// - Overlays, if they merge: what the homes don't take back goes to one that is new anyway.
// What all homes have again is written to no overlay. Whatever the price, the smallest overlays and
// cold packs merge where there would be too many. Those that fill half of `full_bytes` neither
// merge nor count.
std::vector<bool> choose_rewrites(std::span<const PackState> packs,
                                  std::span<const Returning> returning, const NewBytes& fresh,
                                  const GenerationPrices& prices, uint64_t full_bytes = UINT64_MAX);

}  // namespace seekless
