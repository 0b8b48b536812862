// Compares the ways to make a game's loads faster: 'seekless advise' prints the result, and 'play
// --auto' stores it after laying out.
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
  std::string state;   // where `play` stores what it learned; empty: the default folder
  // If true, reserves space for a moment to see where new files would lie, and mounts the game's
  // folder to see if that works. If false, assumes that new files lie in one piece.
  bool tries_out = true;
};

// If there are no recordings, uses what `play` has learned about the game. `start` is how the game
// is started, if known. Changes nothing; prints warnings to `output`.
Result<AdviseAnswer> get_advice(const AskedAdvice& asked, GameStart start, const Output& output);

}  // namespace seekless
