// Makes the C library return freed memory to the operating system.
#pragma once

namespace seekless {

// From this call on, large pieces of memory return to the operating system as soon as they are
// freed. Stages hold lists of a million records one after the other. Without this, the next stage
// would cut up the memory that the previous one has freed. If addresses are limited (ulimit -v),
// threads share one heap. Call it once, before any other thread runs.
void return_freed_memory();

}  // namespace seekless
