/* Reads assets one by one, as a game without sweeps does, and records the reads as input for
 * `seekless plan`. Usage: record PACKSET TRACE SCENARIO ASSET... */
#include <stdio.h>
#include <stdlib.h>

#include <seekless.h>

static int failed(const char* what, const skl_error* error) {
  fprintf(stderr, "%s: %s: %s\n", what, skl_result_name(error->result), error->message);
  return 1;
}

/* Reads in pieces, like a decoder. */
static int read_asset(skl_context* context, const char* path, skl_error* error) {
  char piece[4096];
  skl_asset asset;
  uint64_t size;
  uint64_t at;
  size_t got;
  if (skl_find(context, path, &asset, &size) < 0) {
    fprintf(stderr, "%s: no such asset\n", path);
    return 1;
  }
  for (at = 0; at < size; at += got)
    if (skl_read(context, asset, at, piece, sizeof piece, &got, error) < 0)
      return failed(path, error);
  return 0;
}

int main(int argc, char** argv) {
  skl_error error = {sizeof error, SKL_OK, 0, 0, ""};
  skl_context* context;
  uint64_t lost = 0;
  int faults = 0;
  int i;
  if (argc < 4) return 2;
  if (skl_context_create(NULL, &context, &error) < 0) return failed("context", &error);
  if (skl_mount(context, argv[1], NULL, NULL, &error) < 0) return failed(argv[1], &error);
  if (skl_recorder_start(context, argv[2], NULL, &error) < 0) return failed(argv[2], &error);
  skl_recorder_mark(context, argv[3]);
  for (i = 4; i < argc; i++) faults += read_asset(context, argv[i], &error);
  if (skl_recorder_stop(context, &lost, &error) < 0) faults += failed(argv[2], &error);
  skl_context_destroy(context);
  return faults == 0 && lost == 0 ? 0 : 1;
}
