// Compares the ways to make a game's loads faster: 'seekless advise' says what comes out, and 'play
// --auto' notes it after it has laid out.
#pragma once

#include <string>

#include "packer/answer/advise_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/place_inputs.h"

namespace seekless {

struct AskedAdvice {
  PlaceInputs inputs;  // after sort(), with content
  std::string drive;   // empty: the drive that the game lies on
  std::string state;   // where `play` keeps what it learned; empty: the usual place
};

// Uses what `play` has learned of the game if there are no recordings. Changes nothing; warns by
// `output`.
Result<AdviseAnswer> get_advice(const AskedAdvice& asked, const Output& output);

}  // namespace seekless
