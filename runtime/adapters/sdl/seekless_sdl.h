/* Assets as SDL's streams. All code that takes an SDL_RWops (SDL_image, SDL_mixer, SDL_ttf,
 * SDL_LoadWAV_RW) can then read from packs.
 *
 *   SDL_Surface* sky = IMG_Load_RW(skl_sdl_open(context, "textures/sky.png"), 1);
 */
#ifndef SEEKLESS_SDL_H
#define SEEKLESS_SDL_H

#include <SDL.h>

#include <seekless.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens an asset for reading. Returns NULL if there is no such path or no memory; SDL_GetError()
 * says why. Close it with SDL_RWclose, or let the loader do so (its freesrc). The context must
 * outlive it. As SDL demands, only one thread at a time may read a stream; different streams are
 * independent and take no lock. Assets of up to 256 KiB are read whole at the first read, so they
 * are checked against their hash; larger assets are read in pieces of 256 KiB. A failed read
 * returns fewer objects, and SDL_GetError() names file, place, expected and found. Writing is
 * refused. */
SDL_RWops* skl_sdl_open(skl_context* context, const char* path);

/* Like skl_sdl_open, for an asset that was already found. */
SDL_RWops* skl_sdl_open_asset(skl_context* context, skl_asset asset, uint64_t size_bytes);

/* Opens an asset for music or video. A skl_stream reads it ahead in the background, so playback
 * needn't wait for the disk, even while a map is loading. `options` is as for skl_stream_open; NULL
 * reads 1 MiB ahead. A read waits until bytes have arrived. Otherwise like skl_sdl_open. */
SDL_RWops* skl_sdl_open_stream(skl_context* context, const char* path,
                               const skl_stream_options* options);

/* Returns the duration of the longest read so far of a stream from skl_sdl_open_stream, in
 * microseconds by SDL's performance counter; 0 for other streams. Reads before the first bytes
 * arrived, and after a seek, don't count. If the sound buffer is longer than this, there is no gap.
 * Any thread may call it. */
Uint64 skl_sdl_longest_read_us(const SDL_RWops* stream);

#ifdef __cplusplus
}
#endif

#endif
