/* Reads assets of archives through libzip: every archive opened once, later ones win; each asset
 * opened, read to its end, closed. Usage: read_zip ARCHIVE... < NAMES */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>

#define MAX_ARCHIVES 64

static int read_asset(zip_t** archives, int count, const char* name, uint64_t* bytes) {
  static char buffer[65536];
  zip_int64_t got;
  zip_file_t* file = NULL;
  while (file == NULL && count > 0) file = zip_fopen(archives[--count], name, 0);
  if (file == NULL) {
    fprintf(stderr, "read_zip: %s: in none of the archives\n", name);
    return 1;
  }
  while ((got = zip_fread(file, buffer, sizeof buffer)) > 0) *bytes += (uint64_t)got;
  zip_fclose(file);
  if (got < 0) fprintf(stderr, "read_zip: %s: can't be read\n", name);
  return got < 0;
}

int main(int argc, char** argv) {
  zip_t* archives[MAX_ARCHIVES];
  char name[4096];
  uint64_t assets = 0;
  uint64_t bytes = 0;
  int faults = 0;
  int count = 0;
  if (argc < 2 || argc - 1 > MAX_ARCHIVES) return 2;
  for (; count < argc - 1; count++) {
    int code = 0;
    archives[count] = zip_open(argv[count + 1], ZIP_RDONLY, &code);
    if (archives[count] == NULL) {
      fprintf(stderr, "read_zip: %s: libzip's error %d\n", argv[count + 1], code);
      return 1;
    }
  }
  while (fgets(name, sizeof name, stdin) != NULL) {
    name[strcspn(name, "\n")] = '\0';
    assets++;
    faults += read_asset(archives, count, name, &bytes);
  }
  while (count > 0) zip_discard(archives[--count]);
  printf("{\"assets\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"failed\": %d}\n", assets, bytes,
         faults);
  return faults == 0 ? 0 : 1;
}
