/* Assets as SDL's streams: what takes an SDL_RWops (SDL_image, SDL_mixer, SDL_ttf, SDL_LoadWAV_RW)
 * reads from packs.
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

/* Opens an asset for reading. NULL, and SDL_GetError() says why: there is no such path, or no
 * memory. Close it with SDL_RWclose, or let the loader do so (its freesrc). The context must
 * outlive it. As SDL demands, one thread at a time reads a stream; different streams know nothing
 * of each other, and take no lock. Assets of up to 256 KiB are read whole at the first read, and so
 * are checked against their hash; larger ones by 256 KiB. A failed read gives fewer objects, and
 * SDL_GetError() names file, place, expected and found. Writing is refused. */
SDL_RWops* skl_sdl_open(skl_context* context, const char* path);

/* The same for an asset that was found already. */
SDL_RWops* skl_sdl_open_asset(skl_context* context, skl_asset asset, uint64_t size_bytes);

/* For music and video: the asset is read ahead in the background by a skl_stream, so that whoever
 * plays it needn't wait for the disk, also while a map is loaded. `options` as of skl_stream_open;
 * NULL: 1 MiB is read ahead. Else as skl_sdl_open; a read waits where nothing is there yet. */
SDL_RWops* skl_sdl_open_stream(skl_context* context, const char* path,
                               const skl_stream_options* options);

/* How long the longest read of such a stream has taken until now, by SDL's performance counter, in
 * microseconds; without reads before anything had come at first, or after a seek. A player whose
 * sound buffer is longer than that hears no gap. Any thread. 0: it is no stream of
 * skl_sdl_open_stream. */
Uint64 skl_sdl_longest_read_us(const SDL_RWops* stream);

#ifdef __cplusplus
}
#endif

#endif
