/* Loads a picture and a sound from a pack set by SDL 3's own loaders, and reads a large asset at
 * places all over it. Usage: play_pack3 PACKS PICTURE SOUND LARGE */
#include <SDL3/SDL.h>
#include <stdio.h>

#include "../sdl_program/said.h"
#include <seekless_sdl3.h>

static int show_picture(skl_context* context, const char* path) {
  SDL_IOStream* stream = skl_sdl3_open(context, path);
  SDL_Surface* surface = stream ? SDL_LoadBMP_IO(stream, true) : NULL;
  SDL_Surface* pixels = surface ? SDL_ConvertSurface(surface, SDL_PIXELFORMAT_RGBA32) : NULL;
  if (pixels == NULL) return failed(path, SDL_GetError());
  printf("picture: %d x %d, %016llx\n", pixels->w, pixels->h,
         hash_of((const unsigned char*)pixels->pixels, (size_t)pixels->pitch * (size_t)pixels->h));
  SDL_DestroySurface(pixels);
  SDL_DestroySurface(surface);
  return 0;
}

static int load_sound(skl_context* context, const char* path) {
  SDL_AudioSpec spec;
  Uint8* samples = NULL;
  Uint32 length = 0;
  if (!SDL_LoadWAV_IO(skl_sdl3_open(context, path), true, &spec, &samples, &length))
    return failed(path, SDL_GetError());
  printf("sound: %u bytes, %016llx\n", (unsigned)length, hash_of(samples, length));
  SDL_free(samples);
  return 0;
}

/* Reads the whole asset, then its second half, seeking from the end, and then past the end. */
static int read_large(skl_context* context, const char* path) {
  SDL_IOStream* stream = skl_sdl3_open(context, path);
  const Sint64 size = stream ? SDL_GetIOSize(stream) : -1;
  Uint8* bytes = size >= 0 ? SDL_malloc((size_t)size + 1) : NULL;
  Uint8 byte = 0;
  Sint64 place;
  size_t got;
  if (bytes == NULL) return failed(path, SDL_GetError());
  got = SDL_ReadIO(stream, bytes, (size_t)size + 1);
  printf("large: %u bytes, %016llx\n", (unsigned)got, hash_of(bytes, got));
  place = SDL_SeekIO(stream, -size / 2, SDL_IO_SEEK_END);
  got = SDL_ReadIO(stream, &byte, 1);
  printf("seek: %d, %d\n", place == size - size / 2, got == 1 && byte == bytes[size - size / 2]);
  SDL_SeekIO(stream, size, SDL_IO_SEEK_SET);
  got = SDL_ReadIO(stream, &byte, 1);
  printf("end: %u, %d\n", (unsigned)got, SDL_GetIOStatus(stream) == SDL_IO_STATUS_EOF);
  got = SDL_WriteIO(stream, &byte, 1);
  printf("write: %u, %d\n", (unsigned)got, SDL_GetIOStatus(stream) == SDL_IO_STATUS_READONLY);
  SDL_free(bytes);
  return SDL_CloseIO(stream) ? 0 : failed(path, SDL_GetError());
}

int main(int argc, char** argv) {
  skl_error error = {sizeof error};
  skl_context* context = NULL;
  int result;
  if (argc != 5) return fprintf(stderr, "usage: play_pack3 PACKS PICTURE SOUND LARGE\n"), 2;
  if (skl_context_create(NULL, &context, &error) < 0 ||
      skl_mount(context, argv[1], NULL, NULL, &error) < 0)
    return fprintf(stderr, "%s\n", error.message), 1;
  result = show_picture(context, argv[2]) || load_sound(context, argv[3]) ||
           read_large(context, argv[4]);
  SDL_Quit();
  skl_context_destroy(context);
  return result;
}
