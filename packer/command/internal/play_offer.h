// After the game, asks the user whether to lay out what its loads read.
#pragma once

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_options.h"

namespace seekless {

// Asks before using disk space; if no user can answer, only prints the predicted gain. `run` has
// this gain, and receives the shadow's size if it was laid out.
void offer_to_lay_out(const PlayArguments& arguments, PlayedRun& run);

}  // namespace seekless
