// Runs 'seekless play --status' and '--forget', which show or remove the stored data of one game or
// all games.
#pragma once

#include "packer/command/internal/play_options.h"

namespace seekless {

// Lists the stored data of all games.
Result<void> list_kept(const PlayArguments& arguments);
// Removes the stored data of games that no longer exist, or haven't been played for 90 days.
Result<void> forget_unused(const PlayArguments& arguments);
// Shows or forgets one game's stored data. Its folder may be gone.
Result<void> show_or_forget(const PlayArguments& arguments);

}  // namespace seekless
