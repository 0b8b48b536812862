// Chooses which packs of a set a build remakes; all others stay. Pure.
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
  // For a home: indices of the Returning assets that it would hold again if remade.
  std::vector<uint32_t> returning = {};
  uint64_t returning_bytes = 0;
  // Bytes that sweeps would save if the pack were remade, summed over scenarios. A jump counts as
  // the bytes that can be read in its time.
  uint64_t swept_bytes = 0;

  double dead_share() const {
    const auto bytes = static_cast<double>(live_bytes + dead_bytes);
    return bytes > 0 ? static_cast<double>(dead_bytes) / bytes : 0;
  }
  // Returns how many bytes of useless reading in sweeps are saved for each byte that remaking the
  // pack writes. Dead bytes also take room, which counts little.
  double worth() const {
    constexpr double kRoomByteWorth = 0.1;
    const auto bytes = static_cast<double>(live_bytes + returning_bytes);
    const double in_vain =
        static_cast<double>(swept_bytes) + kRoomByteWorth * static_cast<double>(dead_bytes);
    return bytes > 0 ? in_vain / bytes : in_vain;
  }
};

// Describes content that isn't, or isn't any more, in the packs where it belongs, its homes.
struct Returning {
  static constexpr uint32_t kNew = UINT32_MAX;

  uint64_t size_bytes = 0;
  uint32_t homes = 0;       // number of homes that would hold the asset again if remade
  uint32_t overlay = kNew;  // the pack that holds it instead; kNew: a pack that this build writes
};

// Counts the bytes that this build must write anyway, and those of all content today, each asset
// once.
struct NewBytes {
  uint64_t read_bytes = 0;  // bytes that go to an overlay
  uint64_t cold_bytes = 0;  // bytes that go to a cold generation
  uint64_t content_bytes = UINT64_MAX;
};

// A set has at most this many overlays, because each can cost a sweep a seek.
inline constexpr size_t kMostOverlays = 4;
// A set has at most this many cold packs, which only cost files.
inline constexpr size_t kMostColdPacks = 8;

// A pack of at least this worth is remade before its dead share reaches the limit.
inline constexpr double kLeastWorth = 0.05;

// Returns for each pack whether it is remade. These packs are taken in the order of their worth, as
// far as the price allows:
// - Packs with more than `max_dead` dead content. Cold ones come last unless more than `max_dead`
//   of the whole set is dead; they wait until little is written for each byte that is freed.
// - Homes in which sweeps read enough useless bytes.
// - Overlays to be merged: assets that homes don't take back go to the new overlay.
// An asset that all its homes take back is in no overlay. If there are too many overlays or cold
// packs, the smallest ones are merged, whatever the price. Packs that fill half of `full_bytes`
// aren't merged, and don't count.
std::vector<bool> choose_rewrites(std::span<const PackState> packs,
                                  std::span<const Returning> returning, const NewBytes& fresh,
                                  const GenerationPrices& prices, uint64_t full_bytes = UINT64_MAX);

}  // namespace seekless
