/* Loads a scenario by a sweep, reads some of its assets, and records these for a fleet upload.
 * Usage: upload PACKSET UPLOAD SCENARIO ASSET... */
#include <stdio.h>
#include <string.h>

#include <seekless.h>

static int failed(const char* what, const skl_error* error) {
  fprintf(stderr, "%s: %s: %s\n", what, skl_result_name(error->result), error->message);
  return 1;
}

static int read_asset(skl_context* context, const char* path, skl_error* error) {
  char piece[4096];
  skl_asset asset;
  size_t got;
  if (skl_find(context, path, &asset, NULL) < 0) {
    fprintf(stderr, "%s: no such asset\n", path);
    return 1;
  }
  return skl_read(context, asset, 0, piece, sizeof piece, &got, error) < 0 ? failed(path, error)
                                                                           : 0;
}

static int sweep(skl_context* context, const char* scenario, skl_error* error) {
  skl_sweep* opened;
  skl_lease lease;
  if (skl_sweep_open(context, scenario, &opened, error) < 0) return failed(scenario, error);
  while (skl_sweep_wait(opened, 10000, &lease, error) == SKL_OK) skl_lease_release(&lease);
  skl_sweep_close(opened);
  return 0;
}

int main(int argc, char** argv) {
  skl_error error = {sizeof error, SKL_OK, 0, 0, ""};
  skl_upload_options options;
  skl_context* context;
  skl_mount_id packs;
  uint64_t lost = 0;
  int faults = 0;
  int i;
  if (argc < 4) return 2;
  memset(&options, 0, sizeof options);
  options.struct_bytes = sizeof options;
  options.day = 20000;
  memset(options.client, 7, sizeof options.client);
  if (skl_context_create(NULL, &context, &error) < 0) return failed("context", &error);
  if (skl_mount(context, argv[1], NULL, &packs, &error) < 0) return failed(argv[1], &error);
  if (skl_recorder_start_uploads(context, packs, argv[2], &options, &error) < 0)
    return failed(argv[2], &error);
  skl_recorder_mark(context, argv[3]);
  for (i = 4; i < argc; i++) faults += read_asset(context, argv[i], &error);
  faults += sweep(context, argv[3], &error);
  skl_recorder_mark(context, NULL);
  if (skl_recorder_stop(context, &lost, &error) < 0) faults += failed(argv[2], &error);
  skl_context_destroy(context);
  return faults == 0 && lost == 0 ? 0 : 1;
}
