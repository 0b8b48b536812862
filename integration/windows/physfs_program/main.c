/* Reads every file of a pack set through PhysFS, and prints a line for each: its size, a checksum,
 * its path. Usage: physfs_program CATALOG */
#include <physfs.h>
#include <stdio.h>
#include <stdlib.h>

#include <seekless_physfs.h>

static unsigned long long fnv_1a(unsigned long long sum, const unsigned char* bytes,
                                 PHYSFS_sint64 count) {
  for (PHYSFS_sint64 i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * 0x100000001b3ULL;
  return sum;
}

static PHYSFS_EnumerateCallbackResult look_at(void* data, const char* folder, const char* name) {
  static unsigned char buffer[50000];
  char path[4096];
  PHYSFS_Stat about;
  PHYSFS_File* file;
  PHYSFS_sint64 got, size = 0;
  unsigned long long sum = 0xcbf29ce484222325ULL;
  (void)data;
  snprintf(path, sizeof path, "%s%s%s", folder, folder[0] != 0 ? "/" : "", name);
  if (!PHYSFS_stat(path, &about)) return PHYSFS_ENUM_ERROR;
  if (about.filetype == PHYSFS_FILETYPE_DIRECTORY) {
    PHYSFS_enumerate(path, look_at, NULL);
    return PHYSFS_ENUM_OK;
  }
  file = PHYSFS_openRead(path);
  if (file == NULL) return PHYSFS_ENUM_ERROR;
  while ((got = PHYSFS_readBytes(file, buffer, sizeof buffer)) > 0) {
    sum = fnv_1a(sum, buffer, got);
    size += got;
  }
  printf("%lld %016llx %s\n", (long long)size, sum, path);
  return PHYSFS_close(file) && got == 0 ? PHYSFS_ENUM_OK : PHYSFS_ENUM_ERROR;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  if (!PHYSFS_init(words[0]) || !PHYSFS_registerArchiver(skl_physfs_archiver()) ||
      !PHYSFS_mount(words[1], NULL, 1) || !PHYSFS_enumerate("", look_at, NULL)) {
    fprintf(stderr, "%s; %s\n", PHYSFS_getErrorByCode(PHYSFS_getLastErrorCode()),
            skl_physfs_last_error()->message);
    return 1;
  }
  return PHYSFS_deinit() ? 0 : 1;
}
