// What SDL 2 and SDL 3 mean by seeking, which is the same.
#pragma once

#include <cstdint>

// The place `offset` from `base`; as SDL's own streams do, it stops at both ends.
inline int64_t place_as_sdl(int64_t base, int64_t offset, int64_t size) {
  return offset < -base ? 0 : offset > size - base ? size : base + offset;
}
