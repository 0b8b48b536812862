// Fills in SDL 3's table of functions for a stream. Calls go to an AssetReader. No exception leaves
// these functions.
#include "runtime/adapters/sdl/seekless_sdl3.h"

#include <new>

#include "runtime/adapters/sdl/sdl_shared.h"
#include "runtime/include/seekless_stream.hpp"

using skl::AssetReader;

namespace {

AssetReader& reader_of(void* stream) {
  return *static_cast<AssetReader*>(stream);
}

Sint64 SDLCALL stream_size(void* stream) {
  return static_cast<Sint64>(reader_of(stream).size_bytes());
}

Sint64 SDLCALL stream_seek(void* stream, Sint64 offset, SDL_IOWhence whence) {
  AssetReader& reader = reader_of(stream);
  const auto size = static_cast<Sint64>(reader.size_bytes());
  const auto position = static_cast<Sint64>(reader.position());
  const Sint64 base = whence == SDL_IO_SEEK_SET ? 0 : whence == SDL_IO_SEEK_CUR ? position : size;
  const Sint64 place = place_as_sdl(base, offset, size);
  reader.seek(static_cast<uint64_t>(place));
  return place;
}

size_t SDLCALL stream_read(void* stream, void* into, size_t wanted_bytes, SDL_IOStatus* status) {
  skl_error error = {sizeof(error), SKL_OK, 0, 0, ""};
  try {
    const int64_t got = reader_of(stream).read(into, wanted_bytes, &error);
    if (got == 0 && wanted_bytes > 0) *status = SDL_IO_STATUS_EOF;
    if (got >= 0) return static_cast<size_t>(got);
    SDL_SetError("%s", error.message);
  } catch (const std::bad_alloc&) {
    SDL_OutOfMemory();
  }
  *status = SDL_IO_STATUS_ERROR;
  return 0;
}

bool SDLCALL stream_close(void* stream) {
  delete &reader_of(stream);
  return true;
}

}  // namespace

SDL_IOStream* skl_sdl3_open(skl_context* context, const char* path) {
  skl_asset asset = 0;
  uint64_t size_bytes = 0;
  if (!find_or_set_error(context, path, asset, size_bytes, SDL_SetError)) return nullptr;
  return skl_sdl3_open_asset(context, asset, size_bytes);
}

SDL_IOStream* skl_sdl3_open_asset(skl_context* context, skl_asset asset, uint64_t size_bytes) {
  auto* const reader = new (std::nothrow) AssetReader(context, asset, size_bytes);
  if (reader == nullptr) {
    SDL_OutOfMemory();
    return nullptr;
  }
  SDL_IOStreamInterface functions;
  SDL_INIT_INTERFACE(&functions);
  functions.size = stream_size;
  functions.seek = stream_seek;
  functions.read = stream_read;  // without `write`, SDL reports that the stream is read-only
  functions.close = stream_close;
  SDL_IOStream* const stream = SDL_OpenIO(&functions, reader);
  if (stream == nullptr) delete reader;
  return stream;
}
