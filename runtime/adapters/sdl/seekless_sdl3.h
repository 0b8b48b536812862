/* Assets as SDL 3's streams: what takes an SDL_IOStream (SDL_LoadBMP_IO, SDL_LoadWAV_IO, SDL_image,
 * SDL_mixer, SDL_ttf) reads from packs.
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

/* Opens an asset for reading. NULL, and SDL_GetError() says why: there is no such path, or no
 * memory. Close it with SDL_CloseIO, or let the loader do so (its closeio). The context must
 * outlive it. As SDL demands, one thread at a time reads a stream; different streams know nothing
 * of each other, and take no lock. Assets of up to 256 KiB are read whole at the first read, and so
 * are checked against their hash; larger ones by 256 KiB. A failed read gives 0 and
 * SDL_IO_STATUS_ERROR, and SDL_GetError() names file, place, expected and found. Writing is
 * refused. */
SDL_IOStream* skl_sdl3_open(skl_context* context, const char* path);

/* The same for an asset that was found already. */
SDL_IOStream* skl_sdl3_open_asset(skl_context* context, skl_asset asset, uint64_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif
