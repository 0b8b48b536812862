// Memory that runs out where nothing can be given back any more, and no exception may pass: in a
// destructor (nlohmann's JSON values take memory to free themselves) or at the top of a thread.
#pragma once

namespace seekless {

// From here on the program then ends with a message and exit code 1, and isn't aborted. What it was
// writing is left as if it had been killed: old files are whole, and the next run clears up.
void end_tidily_without_memory();

}  // namespace seekless
