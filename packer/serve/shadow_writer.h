// Writes the shadow: copies of what scenarios read, in the order in which they read it.
#pragma once

#include <cstdint>
#include <string>

#include "packer/foresee/learned.h"
#include "packer/serve/game_state.h"

namespace seekless {

// At least this much of the disk stays free: saved games are worth more than seconds.
inline constexpr uint64_t kKeptFreeBytes = uint64_t{1} << 30;

// Writes the core's section, then each scenario's own, most often run first, as far as `room_bytes`
// and the disk's free space allow. Files that change meanwhile are left out. Replaces the former
// shadow, in `learned` and on the disk, and returns its size. Fails if a file's disk or server
// doesn't answer for seconds.
Result<uint64_t> write_shadow(const GameState& state, const std::string& folder, Learned& learned,
                              uint64_t room_bytes);

// Marks files that have changed since they were copied. Fails if a disk or server doesn't answer.
Result<void> drop_changed(const std::string& folder, Learned& learned);

}  // namespace seekless
