/* Compares finding and reading an asset with one ReadFile at a known place of one file, in random
 * order, with everything cached. Usage: random_reads PACKSET FILE ASSETS BYTES ROUNDS. The set has
 * assets called 00000 and so on, of BYTES each; FILE holds as many bytes in one piece. In place of
 * ROUNDS, `assets` or `file` reads these once, to count calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <seekless.h>

enum { kMostRounds = 99 };

struct run {
  skl_context* context;
  HANDLE file;
  uint32_t* order;
  uint32_t assets;
  uint32_t bytes;
  char* into;
};

static double now_us(void) {
  LARGE_INTEGER now, rate;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&rate);
  return (double)now.QuadPart * 1e6 / (double)rate.QuadPart;
}

/* The time of this thread; the system counts in steps of up to 16 ms. */
static double processor_us(void) {
  FILETIME born, ended, kernel, user;
  GetThreadTimes(GetCurrentThread(), &born, &ended, &kernel, &user);
  return ((double)kernel.dwLowDateTime + (double)user.dwLowDateTime) / 10;
}

static void must(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "%s failed\n", what);
  exit(1);
}

struct took {
  double wall_us, processor_us;
};

static struct took since(double wall_us, double worked_us) {
  struct took took;
  took.wall_us = now_us() - wall_us;
  took.processor_us = processor_us() - worked_us;
  return took;
}

static struct took read_assets(const struct run* run) {
  const double began = now_us(), worked = processor_us();
  for (uint32_t i = 0; i < run->assets; ++i) {
    char path[16];
    skl_asset asset;
    uint64_t size;
    size_t got;
    snprintf(path, sizeof path, "%05u", (unsigned)run->order[i]);
    must(skl_find(run->context, path, &asset, &size) == SKL_OK && size == run->bytes, "skl_find");
    must(skl_read(run->context, asset, 0, run->into, run->bytes, &got, NULL) == SKL_OK, "skl_read");
  }
  return since(began, worked);
}

static struct took read_file(const struct run* run) {
  const double began = now_us(), worked = processor_us();
  for (uint32_t i = 0; i < run->assets; ++i) {
    const uint64_t offset = (uint64_t)run->order[i] * run->bytes;
    OVERLAPPED place = {0};
    DWORD got = 0;
    place.Offset = (DWORD)offset;
    place.OffsetHigh = (DWORD)(offset >> 32);
    must(ReadFile(run->file, run->into, run->bytes, &got, &place) && got == run->bytes, "ReadFile");
  }
  return since(began, worked);
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

static void measure(const struct run* run, int rounds) {
  double ratio[kMostRounds];
  struct took ours = {0, 0}, plain = {0, 0};
  const double reads = (double)run->assets * rounds;
  int i;
  must(rounds <= kMostRounds, "ROUNDS");
  for (i = 0; i < rounds; ++i) {
    const struct took one = read_assets(run), other = read_file(run);
    ratio[i] = one.wall_us / other.wall_us;
    ours.wall_us += one.wall_us;
    ours.processor_us += one.processor_us;
    plain.wall_us += other.wall_us;
    plain.processor_us += other.processor_us;
  }
  printf("wall: %.2f us an asset, ReadFile %.2f; median ratio %.3f\n", ours.wall_us / reads,
         plain.wall_us / reads, median(ratio, rounds));
  printf("processor: %.2f us an asset, ReadFile %.2f; ratio %.3f\n", ours.processor_us / reads,
         plain.processor_us / reads, ours.processor_us / plain.processor_us);
}

int main(int argc, char** argv) {
  struct run run = {0};
  const char* what;
  skl_context_options options = {0};
  if (argc != 6) return 2;
  options.struct_bytes = sizeof options;
  run.assets = (uint32_t)atoi(argv[3]);
  run.bytes = (uint32_t)atoi(argv[4]);
  what = argv[5];
  run.order = malloc(run.assets * sizeof *run.order);
  run.into = malloc(run.bytes);
  for (uint32_t i = 0; i < run.assets; ++i) run.order[i] = i;
  for (uint32_t i = run.assets, seed = 1; i > 1; --i) {
    const uint32_t with = (seed = seed * 1664525u + 1013904223u) % i;
    const uint32_t kept = run.order[i - 1];
    run.order[i - 1] = run.order[with];
    run.order[with] = kept;
  }
  must(skl_context_create(&options, &run.context, NULL) == SKL_OK, "skl_context_create");
  must(skl_mount(run.context, argv[1], NULL, NULL, NULL) == SKL_OK, "skl_mount");
  run.file = CreateFileA(argv[2], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  must(run.file != INVALID_HANDLE_VALUE, "CreateFile");
  if (strcmp(what, "file") != 0) read_assets(&run); /* fills the cache */
  if (strcmp(what, "assets") != 0) read_file(&run);
  if (atoi(what) > 0) measure(&run, atoi(what));
  CloseHandle(run.file);
  skl_context_destroy(run.context);
  return 0;
}
