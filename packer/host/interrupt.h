// Being told to stop (Ctrl-C, a cancelled job) while a file is half-written: the next read or write
// fails, and what is half-written is cleared away on the way out, as after any other error.
#pragma once

namespace seekless {

// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the process, unless they were
// ignored; a second one ends it.
void note_interrupts();
bool is_interrupted() noexcept;

}  // namespace seekless
