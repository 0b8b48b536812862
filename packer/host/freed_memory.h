// Asks the C library to give memory back.
#pragma once

namespace seekless {

// From now on large pieces go back to the operating system as soon as they are freed, whatever was
// freed before: stages hold lists of a million records one after the other, and what one frees is
// cut into pieces by the next otherwise. Where addresses are limited (ulimit -v), threads share one
// heap. Call it once, before any other thread runs.
void return_freed_memory();

}  // namespace seekless
