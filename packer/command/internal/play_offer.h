// What 'seekless play' asks after the game: whether to lay out what loads read.
#pragma once

#include "packer/command/internal/play_options.h"

namespace seekless {

// Before somebody's disk is filled, they are asked; where nobody can answer, they are told. `told`
// is the run's answer, with "laying_out_saves_s"; gets "shadow_bytes" if it was laid out.
void offer_to_lay_out(const PlayArguments& arguments, Json& told);

}  // namespace seekless
