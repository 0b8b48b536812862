// Asks after the game if what loads read is to be laid out.
#pragma once

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_options.h"

namespace seekless {

// Before somebody's disk is filled, they are asked; where nobody can answer, they are told. `run`
// knows what laying out saves, and gets the shadow's size if it was laid out.
void offer_to_lay_out(const PlayArguments& arguments, PlayedRun& run);

}  // namespace seekless
