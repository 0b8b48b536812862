// Reports crashes, such as an access to invalid memory. On Linux the shell names the signal that
// ended a program; on Windows nothing does, and only the exit code is left.
#pragma once

namespace seekless {

// Makes a crash print a message, from this call on. The system then handles the crash as before.
void tell_of_faults() noexcept;

}  // namespace seekless
