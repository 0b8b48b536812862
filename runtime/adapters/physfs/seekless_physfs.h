/* Lets any game that uses PhysFS (3.0 or newer) mount packs:
 *
 *   PHYSFS_init(argv[0]);
 *   PHYSFS_registerArchiver(skl_physfs_archiver());
 *   PHYSFS_mount("packs/catalog.skl", NULL, 1);
 *
 * To mount a pack set, name its catalog, which may have any file name; the packs must lie beside
 * it. To mount a single pack, name its file. PhysFS takes its own lock for each call; this code
 * takes none. Opening or duplicating a file doesn't open the pack again.
 */
#ifndef SEEKLESS_PHYSFS_H
#define SEEKLESS_PHYSFS_H

#include <physfs.h>

#include <seekless.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The archiver for PHYSFS_registerArchiver; call it after PHYSFS_init. The result is static. Packs
 * are opened by their path, so PHYSFS_mountMemory, PHYSFS_mountHandle and PHYSFS_mountIo are
 * refused (PHYSFS_ERR_UNSUPPORTED). Each mount has its own skl_context. Files of up to 256 KiB are
 * read whole at the first read, so they are checked against their hash (PHYSFS_ERR_CORRUPT). For a
 * larger file, each open handle keeps 256 KiB in memory. Writing is refused (PHYSFS_ERR_READ_ONLY).
 */
const PHYSFS_Archiver* skl_physfs_archiver(void);

/* Returns this thread's latest error, in more detail than PhysFS does: file, place, expected,
 * found. `result` is SKL_OK if there was none. Valid until the thread's next call. */
const skl_error* skl_physfs_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
