/* Sweeps scenarios of a pack set and checks every asset's bytes against its hash. It shows all
 * calls that a loading screen needs, and uses only the installed header. Usage: sweep PACKSET
 * SCENARIO... */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <seekless.h>

struct counts {
  uint64_t assets;
  uint64_t bytes;
};

static int failed(const char* what, const skl_error* error) {
  fprintf(stderr, "%s: %s: %s\n", what, skl_result_name(error->result), error->message);
  return 1;
}

/* Checks that the bytes fed to `hasher` are the whole asset. */
static int check(skl_context* context, skl_asset asset, const skl_hasher* hasher,
                 skl_error* error) {
  char path[4097];
  skl_hash expected;
  skl_hash found;
  if (skl_asset_path(context, asset, path, sizeof path, NULL, error) < 0 ||
      skl_asset_hash(context, asset, &expected, error) < 0)
    return failed("asset", error);
  skl_hasher_finish(hasher, &found);
  if (memcmp(&expected, &found, sizeof found) == 0) return 0;
  fprintf(stderr, "%s: other bytes than were packed\n", path);
  return 1;
}

/* Parts of other assets with the same bytes come between the parts of a large asset. They are
 * counted, and only the first of these assets is hashed. */
static int take(skl_context* context, const skl_lease* lease, skl_hasher* hasher,
                skl_asset* hashing, struct counts* counts, skl_error* error) {
  counts->bytes += lease->size_bytes;
  if (lease->offset_bytes == 0) counts->assets++;
  if (lease->offset_bytes == 0 && (*hashing == 0 || lease->size_bytes == lease->asset_bytes)) {
    skl_hasher_reset(hasher);
    *hashing = lease->asset;
  }
  if (*hashing != lease->asset) return 0;
  skl_hasher_update(hasher, lease->data, lease->size_bytes);
  if (lease->offset_bytes + lease->size_bytes < lease->asset_bytes) return 0;
  *hashing = 0;
  return check(context, lease->asset, hasher, error);
}

static int sweep(skl_context* context, const char* scenario, skl_hasher* hasher, skl_error* error) {
  struct counts counts = {0, 0};
  skl_sweep* opened;
  skl_lease lease;
  skl_asset hashing = 0;
  skl_progress progress = {sizeof progress, 0, 0, 0, 0};
  skl_result result;
  int faults = 0;
  if (skl_sweep_open(context, scenario, &opened, error) < 0) return failed(scenario, error);
  while ((result = skl_sweep_wait(opened, UINT32_MAX, &lease, error)) != SKL_END) {
    if (result != SKL_OK) {
      faults += failed(scenario, error);
      if (result != SKL_DAMAGED) break;
      hashing = 0;
      continue;
    }
    faults += take(context, &lease, hasher, &hashing, &counts, error);
    skl_lease_release(&lease);
  }
  skl_sweep_progress(opened, &progress);
  skl_sweep_close(opened);
  printf("%s: %" PRIu64 " assets, %" PRIu64 " bytes, in %" PRIu64 " reads and %" PRIu64 " jumps\n",
         scenario, counts.assets, counts.bytes, progress.reads, progress.jumps);
  return faults;
}

int main(int argc, char** argv) {
  skl_error error = {sizeof error, SKL_OK, 0, 0, ""};
  skl_context* context;
  skl_hasher* hasher;
  int faults = 0;
  int i;
  if (argc < 3) return fprintf(stderr, "usage: sweep PACKSET SCENARIO...\n"), 2;
  if (skl_hasher_create(&hasher) < 0) return fprintf(stderr, "sweep: no memory to hash with\n"), 1;
  if (skl_context_create(NULL, &context, &error) < 0) return failed("context", &error);
  faults = skl_mount(context, argv[1], NULL, NULL, &error) < 0 ? failed(argv[1], &error) : 0;
  for (i = 2; i < argc && faults == 0; i++) faults += sweep(context, argv[i], hasher, &error);
  skl_hasher_destroy(hasher);
  skl_context_destroy(context);
  return faults == 0 ? 0 : 1;
}
