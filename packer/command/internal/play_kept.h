// What 'seekless play --status' and '--forget' do: they show what is kept of one game or of all,
// and remove it.
#pragma once

#include "packer/command/internal/play_options.h"

namespace seekless {

// Lists what is kept of all games.
Result<void> list_kept(const PlayArguments& arguments);
// Shows or forgets one game, whose folder may be gone.
Result<void> show_or_forget(const PlayArguments& arguments);

}  // namespace seekless
