// Code shared by the adapters for SDL 2 and SDL 3.
#pragma once

#include <cstdint>

#include "runtime/include/seekless.h"

// Returns `base` plus `offset`, limited to the stream's range, as in SDL's own streams.
inline int64_t place_as_sdl(int64_t base, int64_t offset, int64_t size) {
  return offset < -base ? 0 : offset > size - base ? size : base + offset;
}

// Returns false if the asset can't be opened, after passing the path and the reason to
// SDL_SetError.
template <typename SetError>
bool find_or_set_error(skl_context* context, const char* path, skl_asset& asset,
                       uint64_t& size_bytes, SetError* set_error) {
  const skl_result found = skl_find(context, path, &asset, &size_bytes);
  if (found == SKL_OK) return true;
  set_error("%s: %s", path != nullptr ? path : "NULL", skl_result_name(found));
  return false;
}
