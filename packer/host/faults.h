// What the processor or the system refuses in the middle of the program, such as an access to
// memory that isn't there. Shells say of a program on Linux which signal ended it; on Windows none
// says a word, and only the exit code is left.
#pragma once

namespace seekless {

// From here on such an end has a message. The system does with it what it did before.
void tell_of_faults() noexcept;

}  // namespace seekless
