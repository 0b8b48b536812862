// Compares the ways to make a game's loads faster: 'seekless advise' says what comes out, and 'play
// --auto' notes it after it has laid out.
#pragma once

#include <string>

#include "packer/answer/advise_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/listed_games.h"
#include "packer/command/internal/place_inputs.h"

namespace seekless {

struct AskedAdvice {
  PlaceInputs inputs;  // after sort(), with content
  std::string drive;   // empty: the drive that the game lies on
  std::string state;   // where `play` keeps what it learned; empty: the usual place
  // Reserves room for a moment, to see where new files would lie, and mounts the game's folder, to
  // see if that works. Otherwise new files are assumed to lie in one piece.
  bool tries_out = true;
};

// Uses what `play` has learned of the game if there are no recordings. `start` is how the game
// starts, as far as that is known. Changes nothing; warns by `output`.
Result<AdviseAnswer> get_advice(const AskedAdvice& asked, GameStart start, const Output& output);

}  // namespace seekless
