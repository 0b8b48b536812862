/* Lets any game that uses PhysFS (3.0 or newer) mount packs:
 *
 *   PHYSFS_init(argv[0]);
 *   PHYSFS_registerArchiver(skl_physfs_archiver());
 *   PHYSFS_mount("packs/catalog.skl", NULL, 1);
 *
 * A pack set is mounted by its catalog, whatever that file is called (its packs lie beside it), a
 * single pack by itself. PhysFS still takes its own lock for each call; below it, nothing does, and
 * neither opening a file nor duplicating it opens the pack again.
 */
#ifndef SEEKLESS_PHYSFS_H
#define SEEKLESS_PHYSFS_H

#include <physfs.h>

#include <seekless.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For PHYSFS_registerArchiver, after PHYSFS_init; static. Packs are read from the files that they
 * are named by, so PHYSFS_mountMemory, PHYSFS_mountHandle and PHYSFS_mountIo are refused
 * (PHYSFS_ERR_UNSUPPORTED). Each mount has a skl_context of its own. Files of up to 256 KiB are
 * read whole at the first read, and so are checked against their hash (PHYSFS_ERR_CORRUPT); of
 * larger ones, an open file keeps 256 KiB. Writing is refused (PHYSFS_ERR_READ_ONLY). */
const PHYSFS_Archiver* skl_physfs_archiver(void);

/* What went wrong last in this thread, in more words than PhysFS has: file, place, expected, found.
 * `result` is SKL_OK if nothing did. Valid until the thread's next call. */
const skl_error* skl_physfs_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
