// Runs 'seekless play --status' and '--forget', which show or remove what is kept of one game or of
// all games.
#pragma once

#include "packer/command/internal/play_options.h"

namespace seekless {

// Lists what is kept of all games.
Result<void> list_kept(const PlayArguments& arguments);
// Removes what is kept of games that are gone, or weren't played for 90 days.
Result<void> forget_unused(const PlayArguments& arguments);
// Shows or forgets what is kept of one game. Its folder may be gone.
Result<void> show_or_forget(const PlayArguments& arguments);

}  // namespace seekless
