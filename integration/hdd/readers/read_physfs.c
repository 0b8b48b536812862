/* Reads assets of archives through PhysFS, as games that use it do: every archive mounted, later
 * ones in front; each asset opened, read to its end, closed. Usage: read_physfs ARCHIVE... < NAMES
 */
#include <inttypes.h>
#include <physfs.h>
#include <stdio.h>
#include <string.h>

static int failed(const char* what) {
  fprintf(stderr, "read_physfs: %s: %s\n", what, PHYSFS_getErrorByCode(PHYSFS_getLastErrorCode()));
  return 1;
}

static int read_asset(const char* name, uint64_t* bytes) {
  static char buffer[65536];
  PHYSFS_sint64 got;
  PHYSFS_File* file = PHYSFS_openRead(name);
  if (file == NULL) return failed(name);
  while ((got = PHYSFS_readBytes(file, buffer, sizeof buffer)) > 0) *bytes += (uint64_t)got;
  PHYSFS_close(file);
  return got < 0 ? failed(name) : 0;
}

int main(int argc, char** argv) {
  char name[4096];
  uint64_t assets = 0;
  uint64_t bytes = 0;
  int faults = 0;
  int i;
  if (!PHYSFS_init(argv[0])) return failed("start");
  for (i = 1; i < argc; i++)
    if (!PHYSFS_mount(argv[i], NULL, 0)) return failed(argv[i]);
  while (fgets(name, sizeof name, stdin) != NULL) {
    name[strcspn(name, "\n")] = '\0';
    assets++;
    faults += read_asset(name, &bytes);
  }
  PHYSFS_deinit();
  printf("{\"assets\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"failed\": %d}\n", assets, bytes,
         faults);
  return faults == 0 ? 0 : 1;
}
