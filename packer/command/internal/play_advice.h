// Finds out, after a game was laid out in the background, whether another way would bring more than
// `play`, for the end of the next run.
#pragma once

#include <optional>
#include <string>

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_settings.h"
#include "packer/serve/game_state.h"

namespace seekless {

// Compares the ways as 'seekless advise' does, once for each game, and notes in the state one that
// is forecast to take a tenth less than `play`. Nobody waits for it: whatever can't be found out is
// left alone. It needs the state's lock. Only a process that ends then may call this, because it is
// ended if it takes too long.
void note_advice(const GameState& state, const PlaySettings& settings);

// Returns what was noted, only once. It needs the state's lock.
std::optional<PlayedAdvice> take_advice(const GameState& state, const PlaySettings& settings);

}  // namespace seekless
