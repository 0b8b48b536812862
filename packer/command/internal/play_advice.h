// Checks, after a game was laid out in the background, whether another way would be faster than
// `play`. The result is shown at the end of the next run.
#pragma once

#include <optional>
#include <string>

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_settings.h"
#include "packer/serve/game_state.h"

namespace seekless {

// Compares the ways as 'seekless advise' does, once per game, and stores in the state a way that is
// predicted to take at least a tenth less time than `play`. Errors are ignored, because no user
// waits for the result. It needs the state's lock. Call it only at the end of a process, because
// the process is ended if it takes too long.
void note_advice(const GameState& state, const PlaySettings& settings);

// Returns the stored advice, only once. It needs the state's lock.
std::optional<PlayedAdvice> take_advice(const GameState& state, const PlaySettings& settings);

}  // namespace seekless
