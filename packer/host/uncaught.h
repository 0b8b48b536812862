// The end of a program where an exception may go no further and nobody could be given an error: in
// a destructor (nlohmann's JSON values take memory to free themselves) or at the top of a thread.
#pragma once

namespace seekless {

// From here on such an end has a message. Memory that runs out there ends the program with exit
// code 1, and it isn't aborted; what it was writing is left as if it had been killed: old files are
// whole, and the next run clears up. Other exceptions are our own mistakes, and abort it.
void tell_of_uncaught_exceptions() noexcept;

}  // namespace seekless
