// Handles exceptions that may go no further and that nobody could return as an error: in a
// destructor (nlohmann's JSON values allocate memory to free themselves) or at the top of a thread.
#pragma once

namespace seekless {

// From here on such an exception gives a message. If memory runs out there, the program ends with
// exit code 1, without aborting. Its unfinished output is left as if it had been killed: old files
// are whole, and the next run clears up. Other exceptions are our own bugs, and abort the program.
void tell_of_uncaught_exceptions() noexcept;

}  // namespace seekless
