// XXH3 by the widest instructions that the processor at hand has, where the library can choose:
// hashing 8 KiB takes half as long with AVX2, a tenth of reading them from the system's cache.
#pragma once

#if SEEKLESS_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif
