// Reports crashes, such as an access to memory that isn't there. On Linux the shell says which
// signal ended a program; on Windows nothing does, and only the exit code is left.
#pragma once

namespace seekless {

// From here on a crash prints a message. The system then handles it as before.
void tell_of_faults() noexcept;

}  // namespace seekless
