// Says after a game, once, if another way would bring more than `play` does.
#pragma once

#include <optional>

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_settings.h"
#include "packer/foresee/learned.h"
#include "packer/serve/game_state.h"

namespace seekless {

// Returns `place` if its forecast is better, by a tenth, than what `play` brings with what it has
// learned, or with its copies if the game `is_laid_out` or will be. Notes in the state, which must
// be locked, that it was forecast. Returns nothing if that was noted before, if the game's drive
// doesn't seek, or if the forecast would take long. Call it after the game: it asks the file system
// where files lie, and where it has room.
std::optional<PlayedAdvice> advise_once(const GameState& state, const PlaySettings& settings,
                                        const Learned& learned, bool is_laid_out);

}  // namespace seekless
