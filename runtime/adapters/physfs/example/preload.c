/* Lets an unmodified game mount packs. If the game loads PhysFS as a shared library, this file's
 * PHYSFS_init replaces the real one, calls it, and registers the archiver. From then on, a pack or
 * a catalog with an archive's file name works like that archive:
 *
 *   LD_PRELOAD=libseekless_physfs_preload.so warzone2100
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <seekless_physfs.h>

PHYSFS_DECL int PHYSFS_init(const char* program) {
  int (*real_init)(const char*);
  /* C has no cast between object and function pointers. */
  void* found = dlsym(RTLD_NEXT, "PHYSFS_init");
  if (found == NULL) return 0;
  memcpy(&real_init, &found, sizeof real_init);
  if (!real_init(program)) return 0;
  if (!PHYSFS_registerArchiver(skl_physfs_archiver()))
    fprintf(stderr, "seekless: PhysFS doesn't take the archiver: %s\n",
            PHYSFS_getErrorByCode(PHYSFS_getLastErrorCode()));
  return 1;
}
