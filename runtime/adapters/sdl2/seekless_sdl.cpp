// SDL's table of functions for a stream, filled in: what it asks for goes to an AssetReader. No
// exception leaves these functions.
#include "runtime/adapters/sdl2/seekless_sdl.h"

#include <new>

#include "runtime/include/seekless_stream.hpp"

using skl::AssetReader;

namespace {

AssetReader& reader_of(SDL_RWops* stream) {
  return *static_cast<AssetReader*>(stream->hidden.unknown.data1);
}

Sint64 SDLCALL stream_size(SDL_RWops* stream) {
  return static_cast<Sint64>(reader_of(stream).size_bytes());
}

Sint64 SDLCALL stream_seek(SDL_RWops* stream, Sint64 offset, int whence) {
  AssetReader& reader = reader_of(stream);
  const auto size = static_cast<Sint64>(reader.size_bytes());
  const Sint64 base = whence == RW_SEEK_SET   ? 0
                      : whence == RW_SEEK_CUR ? static_cast<Sint64>(reader.position())
                                              : size;
  // As SDL's own streams do, it stops at both ends.
  const Sint64 most = size - base;
  const Sint64 place = offset < -base ? 0 : offset > most ? size : base + offset;
  reader.seek(static_cast<uint64_t>(place));
  return place;
}

size_t SDLCALL stream_read(SDL_RWops* stream, void* into, size_t object_bytes, size_t count) {
  if (object_bytes == 0 || count == 0) return 0;
  AssetReader& reader = reader_of(stream);
  const uint64_t whole = (reader.size_bytes() - reader.position()) / object_bytes;
  const size_t wanted = count < whole ? count : static_cast<size_t>(whole);
  skl_error error = {sizeof(error), SKL_OK, 0, 0, ""};
  try {
    if (reader.read(into, wanted * object_bytes, &error) >= 0) return wanted;
    SDL_SetError("%s", error.message);
  } catch (const std::bad_alloc&) {
    SDL_OutOfMemory();
  }
  return 0;
}

size_t SDLCALL stream_write(SDL_RWops*, const void*, size_t, size_t) {
  SDL_SetError("assets of packs can't be written");
  return 0;
}

int SDLCALL stream_close(SDL_RWops* stream) {
  delete &reader_of(stream);
  SDL_FreeRW(stream);
  return 0;
}

}  // namespace

SDL_RWops* skl_sdl_open(skl_context* context, const char* path) {
  skl_asset asset = 0;
  uint64_t size_bytes = 0;
  const skl_result found = skl_find(context, path, &asset, &size_bytes);
  if (found == SKL_OK) return skl_sdl_open_asset(context, asset, size_bytes);
  SDL_SetError("%s: %s", path != nullptr ? path : "NULL", skl_result_name(found));
  return nullptr;
}

SDL_RWops* skl_sdl_open_asset(skl_context* context, skl_asset asset, uint64_t size_bytes) {
  SDL_RWops* const stream = SDL_AllocRW();
  if (stream == nullptr) return nullptr;
  auto* const reader = new (std::nothrow) AssetReader(context, asset, size_bytes);
  if (reader == nullptr) {
    SDL_FreeRW(stream);
    SDL_OutOfMemory();
    return nullptr;
  }
  stream->type = SDL_RWOPS_UNKNOWN;
  stream->hidden.unknown.data1 = reader;
  stream->size = stream_size;
  stream->seek = stream_seek;
  stream->read = stream_read;
  stream->write = stream_write;
  stream->close = stream_close;
  return stream;
}
