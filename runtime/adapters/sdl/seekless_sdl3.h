/* Assets as SDL 3's streams. All code that takes an SDL_IOStream (SDL_LoadBMP_IO, SDL_LoadWAV_IO,
 * SDL_image, SDL_mixer, SDL_ttf) can then read from packs.
 *
 *   SDL_Surface* sky = IMG_Load_IO(skl_sdl3_open(context, "textures/sky.png"), true);
 */
#ifndef SEEKLESS_SDL3_H
#define SEEKLESS_SDL3_H

#include <SDL3/SDL.h>

#include <seekless.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens an asset for reading. Returns NULL if there is no such path or no memory; SDL_GetError()
 * says why. Close it with SDL_CloseIO, or let the loader do so (its closeio). The context must
 * outlive it. As SDL demands, only one thread at a time may read a stream; different streams are
 * independent and take no lock. Assets of up to 256 KiB are read whole at the first read, so they
 * are checked against their hash; larger assets are read in pieces of 256 KiB. A failed read
 * returns 0 and SDL_IO_STATUS_ERROR, and SDL_GetError() names file, place, expected and found.
 * Writing is refused. */
SDL_IOStream* skl_sdl3_open(skl_context* context, const char* path);

/* Like skl_sdl3_open, for an asset that was already found. */
SDL_IOStream* skl_sdl3_open_asset(skl_context* context, skl_asset asset, uint64_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif
