// Writes the shadow: copies of what scenarios read, in the order in which they read it.
#pragma once

#include <string>

#include "packer/foresee/learned.h"
#include "packer/serve/game_state.h"

namespace seekless {

// The core's section, then each scenario's own, those that were run most often first, as far as
// `room_bytes` and the disk's free space go. Files that change meanwhile are left out. Replaces the
// shadow that was there, in `learned` and on the disk; says how large it is.
Result<uint64_t> write_shadow(const GameState& state, const std::string& folder, Learned& learned,
                              uint64_t room_bytes);

// Takes note of files that aren't any more what they were when they were copied.
void drop_changed(const std::string& folder, Learned& learned);

}  // namespace seekless
