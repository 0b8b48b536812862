/* What finding and reading an asset takes beside one ReadFile at a known place of one file, in
 * random order, from the system's cache. Usage: random_reads PACKSET FILE ASSETS BYTES The set has
 * assets called 00000 and so on, of BYTES each; FILE holds as many bytes in one piece. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <seekless.h>

enum { kRounds = 9 };

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

static void must(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "%s failed\n", what);
  exit(1);
}

static double read_assets(const struct run* run) {
  const double began = now_us();
  for (uint32_t i = 0; i < run->assets; ++i) {
    char path[16];
    skl_asset asset;
    uint64_t size;
    size_t got;
    snprintf(path, sizeof path, "%05u", (unsigned)run->order[i]);
    must(skl_find(run->context, path, &asset, &size) == SKL_OK && size == run->bytes, "skl_find");
    must(skl_read(run->context, asset, 0, run->into, run->bytes, &got, NULL) == SKL_OK, "skl_read");
  }
  return (now_us() - began) / run->assets;
}

static double read_file(const struct run* run) {
  const double began = now_us();
  for (uint32_t i = 0; i < run->assets; ++i) {
    const uint64_t offset = (uint64_t)run->order[i] * run->bytes;
    OVERLAPPED place = {0};
    DWORD got = 0;
    place.Offset = (DWORD)offset;
    place.OffsetHigh = (DWORD)(offset >> 32);
    must(ReadFile(run->file, run->into, run->bytes, &got, &place) && got == run->bytes, "ReadFile");
  }
  return (now_us() - began) / run->assets;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values) {
  qsort(values, kRounds, sizeof *values, compare);
  return values[kRounds / 2];
}

int main(int argc, char** argv) {
  struct run run = {0};
  double ours[kRounds], plain[kRounds], ratio[kRounds];
  skl_context_options options = {0};
  if (argc != 5) return 2;
  options.struct_bytes = sizeof options;
  run.assets = (uint32_t)atoi(argv[3]);
  run.bytes = (uint32_t)atoi(argv[4]);
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
  read_assets(&run); /* into the cache */
  read_file(&run);
  for (int i = 0; i < kRounds; ++i) {
    ours[i] = read_assets(&run);
    plain[i] = read_file(&run);
    ratio[i] = ours[i] / plain[i];
  }
  printf(
      "us per asset: skl_find and skl_read %.2f, ReadFile %.2f; ratio %.2f (medians of %d "
      "rounds)\n",
      median(ours), median(plain), median(ratio), kRounds);
  CloseHandle(run.file);
  skl_context_destroy(run.context);
  return 0;
}
