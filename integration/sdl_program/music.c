/* Plays music from a pack while a map is swept and urgent requests come, and tells by SDL's clock
 * whether a player would have heard a gap.
 *   music_beside_sweep PACKS SCENARIO MUSIC OTHER PER_SECOND [plain]
 * OTHER: the asset at whose places requests are made. plain: music without read-ahead. */
#include <SDL.h>
#include <SDL_mixer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <seekless_sdl.h>

#define SAMPLES 2048 /* samples of a sound buffer: 46 ms */
#define REQUEST_BYTES 16384
#define DEADLINE_US 200000

static Uint64 latest_call, longest_us;
static unsigned calls;

/* SDL calls this when the sound card needs its next buffer. */
static void note_call(void* user, Uint8* stream, int length) {
  const Uint64 now = SDL_GetPerformanceCounter();
  const Uint64 us = (now - latest_call) * 1000000 / SDL_GetPerformanceFrequency();
  (void)user, (void)stream, (void)length;
  if (calls++ > 0 && us > longest_us) longest_us = us;
  latest_call = now;
}

static int failed(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return 1;
}

typedef struct Loading {
  skl_context* context;
  const char* scenario;
  SDL_atomic_t is_over;
  unsigned long long bytes;
  Uint32 took_ms;
  int failures;
} Loading;

static int SDLCALL load_map(void* user) {
  Loading* of = user;
  skl_sweep* sweep = NULL;
  skl_lease lease;
  skl_result result = skl_sweep_open(of->context, of->scenario, &sweep, NULL);
  const Uint32 began = SDL_GetTicks();
  while (result >= 0 && result != SKL_END) {
    result = skl_sweep_wait(sweep, 1000, &lease, NULL);
    if (result != SKL_OK) continue;
    of->bytes += lease.size_bytes;
    skl_lease_release(&lease);
  }
  of->failures = result < 0;
  of->took_ms = SDL_GetTicks() - began;
  skl_sweep_close(sweep);
  SDL_AtomicSet(&of->is_over, 1);
  return 0;
}

typedef struct Answers {
  SDL_atomic_t count, late, failures;
} Answers;

static void note_answer(void* user, const skl_completion* done) {
  Answers* of = user;
  SDL_AtomicAdd(&of->count, 1);
  SDL_AtomicAdd(&of->late, (int)done->missed_deadline);
  SDL_AtomicAdd(&of->failures, done->result != SKL_OK);
}

/* Makes requests while the map is loaded, with random gaps of 0 to twice their mean. Returns their
 * number. */
static int ask(Loading* loading, skl_queue* queue, skl_asset other, uint64_t size,
               unsigned per_second) {
  static char into[REQUEST_BYTES];
  int asked = 0;
  while (!SDL_AtomicGet(&loading->is_over)) {
    skl_request request = {sizeof request};
    request.asset = other;
    request.offset_bytes = ((uint64_t)rand() * 4096) % (size - REQUEST_BYTES);
    request.length_bytes = REQUEST_BYTES;
    request.destination = into; /* the bytes aren't used */
    request.priority = SKL_PRIORITY_URGENT;
    request.deadline_us = DEADLINE_US;
    asked += skl_queue_submit(queue, &request, 1, NULL, NULL) == SKL_OK;
    SDL_Delay((Uint32)rand() % (2000 / per_second + 1));
  }
  return asked;
}

/* Destroying a queue cancels requests without an answer. */
static void wait_for_answers(Answers* answers, int asked) {
  const Uint32 began = SDL_GetTicks();
  while (SDL_AtomicGet(&answers->count) < asked && SDL_GetTicks() - began < 10000) SDL_Delay(1);
}

int main(int argc, char** argv) {
  skl_error error = {sizeof error};
  skl_context* context = NULL;
  skl_queue* queue = NULL;
  skl_asset other = 0;
  uint64_t other_bytes = 0;
  Answers answers = {{0}, {0}, {0}};
  Loading loading = {NULL, NULL, {0}, 0, 0, 0};
  skl_queue_options options = {sizeof options, 0, note_answer, &answers};
  int asked = 0;
  const int is_plain = argc == 7 && strcmp(argv[6], "plain") == 0;
  SDL_RWops* stream;
  Mix_Music* music;
  SDL_Thread* thread;
  if (argc != 6 && !is_plain) return failed("usage", "PACKS SCENARIO MUSIC OTHER PER_SECOND");
  if (skl_context_create(NULL, &context, &error) < 0 ||
      skl_mount(context, argv[1], NULL, NULL, &error) < 0 ||
      skl_queue_create(context, &options, &queue, &error) < 0)
    return failed(argv[1], error.message);
  if (skl_find(context, argv[4], &other, &other_bytes) != SKL_OK)
    return failed(argv[4], "not found");
  if (SDL_Init(SDL_INIT_AUDIO) != 0 || Mix_OpenAudio(44100, AUDIO_S16SYS, 2, SAMPLES) != 0)
    return failed("audio", SDL_GetError());
  stream = is_plain ? skl_sdl_open(context, argv[3]) : skl_sdl_open_stream(context, argv[3], NULL);
  music = stream ? Mix_LoadMUS_RW(stream, 0) : NULL;
  if (music == NULL) return failed(argv[3], SDL_GetError());
  Mix_SetPostMix(note_call, NULL);
  if (Mix_PlayMusic(music, 0) != 0) return failed(argv[3], SDL_GetError());
  SDL_Delay(500);
  loading.context = context;
  loading.scenario = argv[2];
  thread = SDL_CreateThread(load_map, "load", &loading);
  asked = ask(&loading, queue, other, other_bytes, (unsigned)atoi(argv[5]));
  SDL_WaitThread(thread, NULL);
  wait_for_answers(&answers, asked);
  skl_queue_destroy(queue);
  printf(
      "{\"plays\": %d, \"calls\": %u, \"buffer_ms\": %.1f, \"longest_gap_ms\": %.1f, "
      "\"longest_read_ms\": %.1f, \"swept_bytes\": %llu, \"sweep_ms\": %u, \"sweep_failures\": %d, "
      "\"requests\": %d, \"late\": %d, \"failures\": %d}\n",
      Mix_PlayingMusic(), calls, SAMPLES * 1e3 / 44100, (double)longest_us / 1e3,
      (double)skl_sdl_longest_read_us(stream) / 1e3, loading.bytes, loading.took_ms,
      loading.failures, SDL_AtomicGet(&answers.count), SDL_AtomicGet(&answers.late),
      SDL_AtomicGet(&answers.failures));
  Mix_HaltMusic();
  Mix_FreeMusic(music);
  SDL_RWclose(stream);
  Mix_CloseAudio();
  SDL_Quit();
  skl_context_destroy(context);
  return 0;
}
