// Asks after the game if what loads read is to be laid out on the disk.
#pragma once

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_options.h"

namespace seekless {

// Asks before the disk is filled; if nobody can answer, it only says what could be saved. `run`
// knows how much laying out saves, and gets the shadow's size if it was laid out.
void offer_to_lay_out(const PlayArguments& arguments, PlayedRun& run);

}  // namespace seekless
