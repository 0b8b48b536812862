/* Loads a picture, a sound and a piece of music from a pack set by SDL_image and SDL_mixer, and
 * plays the music for a second. Usage: play_pack PACKS PICTURE SOUND MUSIC */
#include <SDL.h>
#include <SDL_image.h>
#include <SDL_mixer.h>
#include <stdio.h>

#include "said.h"
#include <seekless_sdl.h>

static int show_picture(skl_context* context, const char* path) {
  SDL_RWops* stream = skl_sdl_open(context, path);
  SDL_Surface* surface = stream ? IMG_Load_RW(stream, 1) : NULL;
  SDL_Surface* pixels =
      surface ? SDL_ConvertSurfaceFormat(surface, SDL_PIXELFORMAT_RGBA32, 0) : NULL;
  if (pixels == NULL) return failed(path, SDL_GetError());
  printf("picture: %d x %d, %016llx\n", pixels->w, pixels->h,
         hash_of((const unsigned char*)pixels->pixels, (size_t)pixels->pitch * (size_t)pixels->h));
  SDL_FreeSurface(pixels);
  SDL_FreeSurface(surface);
  return 0;
}

static int load_sound(skl_context* context, const char* path) {
  Mix_Chunk* sound = Mix_LoadWAV_RW(skl_sdl_open(context, path), 1);
  if (sound == NULL) return failed(path, SDL_GetError());
  printf("sound: %u bytes, %016llx\n", sound->alen, hash_of(sound->abuf, sound->alen));
  Mix_FreeChunk(sound);
  return 0;
}

static int play_music(skl_context* context, const char* path) {
  Mix_Music* music = Mix_LoadMUS_RW(skl_sdl_open(context, path), 1);
  if (music == NULL || Mix_PlayMusic(music, 0) != 0) return failed(path, SDL_GetError());
  SDL_Delay(1000);
  printf("music: %s after a second\n", Mix_PlayingMusic() ? "playing" : "silent");
  Mix_FreeMusic(music);
  return 0;
}

int main(int argc, char** argv) {
  skl_error error = {sizeof error};
  skl_context* context = NULL;
  int result;
  if (argc != 5) return fprintf(stderr, "usage: play_pack PACKS PICTURE SOUND MUSIC\n"), 2;
  if (skl_context_create(NULL, &context, &error) < 0 ||
      skl_mount(context, argv[1], NULL, NULL, &error) < 0)
    return fprintf(stderr, "%s\n", error.message), 1;
  if (SDL_Init(SDL_INIT_AUDIO) != 0 || Mix_OpenAudio(44100, AUDIO_S16SYS, 2, 2048) != 0)
    return failed("audio", SDL_GetError());
  result = show_picture(context, argv[2]) || load_sound(context, argv[3]) ||
           play_music(context, argv[4]);
  Mix_CloseAudio();
  SDL_Quit();
  skl_context_destroy(context);
  return result;
}
