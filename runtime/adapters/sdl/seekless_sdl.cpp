// Fills in SDL's table of functions for a stream. Calls go to an AssetReader. No exception leaves
// these functions.
#include "runtime/adapters/sdl/seekless_sdl.h"

#include <atomic>
#include <new>

#include "runtime/adapters/sdl/sdl_shared.h"
#include "runtime/include/seekless_stream.hpp"

using skl::AssetReader;

namespace {

AssetReader& reader_of(SDL_RWops* stream) {
  return *static_cast<AssetReader*>(stream->hidden.unknown.data1);
}

Sint64 SDLCALL stream_size(SDL_RWops* stream) {
  return static_cast<Sint64>(reader_of(stream).size_bytes());
}

Sint64 place_of(Sint64 offset, int whence, Sint64 position, Sint64 size) {
  const Sint64 base = whence == RW_SEEK_SET ? 0 : whence == RW_SEEK_CUR ? position : size;
  return place_as_sdl(base, offset, size);
}

Sint64 SDLCALL stream_seek(SDL_RWops* stream, Sint64 offset, int whence) {
  AssetReader& reader = reader_of(stream);
  const Sint64 place = place_of(offset, whence, static_cast<Sint64>(reader.position()),
                                static_cast<Sint64>(reader.size_bytes()));
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

// An asset that is read ahead in the background.
struct Ahead {
  skl_stream* stream;
  Sint64 size;
  Sint64 position;
  bool has_begun;  // true after the first read since opening or seeking
  std::atomic<Uint64> longest_us;
};

Ahead& ahead_of(const SDL_RWops* stream) {
  return *static_cast<Ahead*>(stream->hidden.unknown.data1);
}

Sint64 SDLCALL ahead_size(SDL_RWops* stream) {
  return ahead_of(stream).size;
}

Sint64 SDLCALL ahead_seek(SDL_RWops* stream, Sint64 offset, int whence) {
  Ahead& of = ahead_of(stream);
  const Sint64 place = place_of(offset, whence, of.position, of.size);
  if (place == of.position) return place;
  skl_stream_seek(of.stream, static_cast<uint64_t>(place));
  of.has_begun = false;
  return of.position = place;
}

size_t SDLCALL ahead_read(SDL_RWops* stream, void* into, size_t object_bytes, size_t count) {
  Ahead& of = ahead_of(stream);
  if (object_bytes == 0 || count == 0) return 0;
  const auto whole = static_cast<Uint64>(of.size - of.position) / object_bytes;
  const size_t wanted = (count < whole ? count : static_cast<size_t>(whole)) * object_bytes;
  if (wanted == 0) return 0;
  const Uint64 began = SDL_GetPerformanceCounter();
  skl_error error = {sizeof(error), SKL_OK, 0, 0, ""};
  size_t got = 0;
  const skl_result result = skl_stream_wait(of.stream, UINT32_MAX, into, wanted, &got, &error);
  if (result < 0) SDL_SetError("%s", error.message);
  const Uint64 us =
      (SDL_GetPerformanceCounter() - began) * 1'000'000 / SDL_GetPerformanceFrequency();
  if (of.has_begun && us > of.longest_us) of.longest_us = us;
  of.has_begun = got > 0;
  of.position += static_cast<Sint64>(got);
  return got / object_bytes;
}

int SDLCALL ahead_close(SDL_RWops* stream) {
  skl_stream_close(ahead_of(stream).stream);
  delete &ahead_of(stream);
  SDL_FreeRW(stream);
  return 0;
}

// Returns NULL on failure, with SDL's error set.
skl_stream* open_ahead(skl_context* context, const char* path, const skl_stream_options* options,
                       skl_error* error) {
  skl_asset asset = 0;
  uint64_t size_bytes = 0;
  skl_stream* stream = nullptr;
  if (find_or_set_error(context, path, asset, size_bytes, SDL_SetError) &&
      skl_stream_open(context, asset, options, &stream, error) != SKL_OK)
    SDL_SetError("%s", error->message);
  return stream;
}

// Makes a stream that stores `of` for its functions. Returns NULL if there is no memory, or if `of`
// is null and SDL's error is already set.
SDL_RWops* make_stream(void* of, decltype(SDL_RWops::size) size, decltype(SDL_RWops::seek) seek,
                       decltype(SDL_RWops::read) read, decltype(SDL_RWops::close) close) {
  SDL_RWops* const stream = of != nullptr ? SDL_AllocRW() : nullptr;
  if (stream == nullptr) {
    SDL_OutOfMemory();
    return nullptr;
  }
  stream->type = SDL_RWOPS_UNKNOWN;
  stream->hidden.unknown.data1 = of;
  stream->size = size;
  stream->seek = seek;
  stream->read = read;
  stream->write = stream_write;
  stream->close = close;
  return stream;
}

}  // namespace

SDL_RWops* skl_sdl_open_stream(skl_context* context, const char* path,
                               const skl_stream_options* options) {
  skl_error error = {sizeof(error), SKL_OK, 0, 0, ""};
  skl_stream* const ahead = open_ahead(context, path, options, &error);
  if (ahead == nullptr) return nullptr;
  skl_stream_info info = {sizeof(info), 0, 0, 0, 0, 0, 0};
  skl_stream_about(ahead, &info);
  auto* const of =
      new (std::nothrow) Ahead{ahead, static_cast<Sint64>(info.size_bytes), 0, false, {0}};
  SDL_RWops* const stream = make_stream(of, ahead_size, ahead_seek, ahead_read, ahead_close);
  if (stream == nullptr) {
    skl_stream_close(ahead);
    delete of;
  }
  return stream;
}

Uint64 skl_sdl_longest_read_us(const SDL_RWops* stream) {
  return stream != nullptr && stream->read == ahead_read ? ahead_of(stream).longest_us.load() : 0;
}

SDL_RWops* skl_sdl_open(skl_context* context, const char* path) {
  skl_asset asset = 0;
  uint64_t size_bytes = 0;
  if (!find_or_set_error(context, path, asset, size_bytes, SDL_SetError)) return nullptr;
  return skl_sdl_open_asset(context, asset, size_bytes);
}

SDL_RWops* skl_sdl_open_asset(skl_context* context, skl_asset asset, uint64_t size_bytes) {
  auto* const reader = new (std::nothrow) AssetReader(context, asset, size_bytes);
  SDL_RWops* const stream =
      make_stream(reader, stream_size, stream_seek, stream_read, stream_close);
  if (stream == nullptr) delete reader;
  return stream;
}
