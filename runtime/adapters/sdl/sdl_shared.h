// What the adapters for SDL 2 and for SDL 3 have in common.
#pragma once

#include <cstdint>

#include "runtime/include/seekless.h"

// The place `offset` from `base`; as SDL's own streams do, it stops at both ends.
inline int64_t place_as_sdl(int64_t base, int64_t offset, int64_t size) {
  return offset < -base ? 0 : offset > size - base ? size : base + offset;
}

// False: the version's SDL_SetError has been told the path, and why it can't be opened.
template <typename SetError>
bool find_or_set_error(skl_context* context, const char* path, skl_asset& asset,
                       uint64_t& size_bytes, SetError* set_error) {
  const skl_result found = skl_find(context, path, &asset, &size_bytes);
  if (found == SKL_OK) return true;
  set_error("%s: %s", path != nullptr ? path : "NULL", skl_result_name(found));
  return false;
}
