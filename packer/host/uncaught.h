// Handles exceptions that must stop where nobody can return an error: in a destructor (nlohmann's
// JSON values allocate memory to free themselves) or at the top of a thread.
#pragma once

namespace seekless {

// Makes such an exception print a message, from this call on. If memory runs out, the program ends
// with exit code 1 instead of aborting; its unfinished output is left as after a kill: old files
// are whole, and the next run clears up. Any other exception is a bug of ours, and aborts the
// program.
void tell_of_uncaught_exceptions() noexcept;

}  // namespace seekless
