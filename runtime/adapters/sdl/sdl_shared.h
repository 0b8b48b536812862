// Code shared by the adapters for SDL 2 and SDL 3.
#pragma once

#include <cstdint>

#include "runtime/include/seekless.h"

// Moves from `base` by `offset` and stops at both ends of the stream, as SDL's own streams do.
inline int64_t place_as_sdl(int64_t base, int64_t offset, int64_t size) {
  return offset < -base ? 0 : offset > size - base ? size : base + offset;
}

// Returns false if the asset can't be opened, after telling the version's SDL_SetError the path and
// the reason.
template <typename SetError>
bool find_or_set_error(skl_context* context, const char* path, skl_asset& asset,
                       uint64_t& size_bytes, SetError* set_error) {
  const skl_result found = skl_find(context, path, &asset, &size_bytes);
  if (found == SKL_OK) return true;
  set_error("%s: %s", path != nullptr ? path : "NULL", skl_result_name(found));
  return false;
}
