// Helps a game in the way that this system has: by serving its folder through FUSE, or by hooks
// in the game on Windows. Each system implements these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_options.h"

namespace seekless {

// Fails if the game has to run without help, and says why.
Result<void> check_can_help(const PlayArguments& arguments);
// Says what happens in that case, as a text that follows the reason.
std::string_view without_help();
// Runs the game, and returns the answer for the user.
Result<PlayAnswer> run_helped(const PlayArguments& arguments);
// Returns the program's exit code, or 128 plus the number of the signal that ended it.
Result<int> run_unhelped(const PlayArguments& arguments);

// Returns true if a file can be served alone. Otherwise its whole folder is watched.
bool can_serve_file();
// Returns true if loads can be laid out here.
bool can_lay_out();
// Copies what is known to be read into the shadow, unless nearly all of it is there. Returns the
// shadow's size in bytes.
Result<uint64_t> lay_out(const GameState& state, const PlaySettings& settings, Learned learned);

}  // namespace seekless
