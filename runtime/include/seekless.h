/* seekless: reads packs (.skl) in a game. The only public header; C99.
 *
 * Ownership   The caller owns what a function returns through an `out` parameter, until it calls
 *             the function named there to destroy or close it. The library frees all memory that
 *             it allocates.
 * Threads     Every function may be called from any thread, unless it says otherwise. A handle may
 *             not be used while or after another thread destroys it. Finding and reading take no
 *             lock.
 * Fork        A child process that is forked after a context was created has none of the context's
 *             threads. In the child, skl_find, skl_find_bytes, skl_hash_path, skl_find_hashed,
 *             skl_asset_about, directories and leases still work. Functions that destroy, close,
 *             release or cancel return at once and free nothing. Any other function that takes a
 *             handle returns INVALID, or nothing, at once. The parent isn't affected. To read in
 *             the child, create a new context there.
 * Failure     Functions return a skl_result: 0 or more is success, less is an error. The optional
 *             last parameter receives the error's details; it may be NULL.
 * Shortage    If memory runs out, only the current call or request fails, with OUT_OF_MEMORY; it
 *             may be repeated. The library also works with fewer threads than it asked for. If no
 *             thread can be started, calls that need one fail with IO (see os_error), and the next
 *             call tries again. Functions that destroy, close, release or cancel need neither
 *             memory nor a thread.
 * Strings     UTF-8 with a terminating zero byte.
 * Structs     Each struct that the caller makes starts with struct_bytes. Set it to the struct's
 *             size before the call: `skl_error error = {sizeof error};`
 */
#ifndef SEEKLESS_H
#define SEEKLESS_H

#include <stddef.h>
#include <stdint.h>

#if defined(SKL_SHARED) && defined(_WIN32) /* for programs that link with seekless.dll */
#define SKL_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define SKL_API __attribute__((visibility("default")))
#else
#define SKL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SKL_VERSION_MAJOR 0
#define SKL_VERSION_MINOR 1
#define SKL_VERSION_PATCH 0

typedef enum skl_result {
  SKL_OK = 0,
  SKL_END = 1, /* there is nothing more to hand out */
  /* The answer isn't there yet: the bytes haven't been read, a queue is full, or leases use up the
   * memory budget. */
  SKL_WOULD_BLOCK = 2,

  SKL_NOT_FOUND = -1, /* there is no such path, scenario or file */
  SKL_INVALID = -2,   /* a parameter is out of its range */
  SKL_DAMAGED = -3,   /* bytes don't match their checksum, or a table is invalid */
  /* The file has a newer format version, or is of a kind that can't be read. */
  SKL_UNSUPPORTED = -4,
  SKL_IO = -5, /* the operating system failed; see os_error */
  SKL_OUT_OF_MEMORY = -6,
  SKL_CANCELLED = -7, /* the request was cancelled, or its context destroyed */
  SKL_STALE = -8      /* the asset's mount is gone, or its loose file has changed since */
} skl_result;

/* Structs. The library may be newer or older than the header that its caller was compiled with, and
 * later versions add members at the end. So each struct that a caller makes states its size in its
 * first member, struct_bytes.
 *
 * The caller fills in options, skl_allocator and skl_request. Members missing from a shorter struct
 * count as 0, and the library ignores extra members of a longer one. If struct_bytes is 0, the call
 * returns INVALID, and the error names the struct.
 *
 * The library fills in skl_error, skl_progress, skl_completion and skl_stats. It writes the members
 * that fit. If struct_bytes is 0, the size in version 0.1, the first version, is assumed, so
 * `skl_error error = {0};` also receives its message.
 *
 * In arrays of skl_request and skl_completion, all elements have the same struct_bytes, which is
 * also the stride of the array.
 *
 * skl_hash, skl_path_hash and skl_lease are values that the library makes. Their layout is the same
 * in all versions, so they have no struct_bytes. */

/* Details of an error. */
typedef struct skl_error {
  uint32_t struct_bytes;
  skl_result result;
  int32_t os_error;      /* errno or GetLastError(); 0: none */
  uint64_t offset_bytes; /* offset in the file named by `message`; UINT64_MAX: no single place */
  char message[512];     /* one line: file, place, expected, found, what to do */
} skl_error;

/* A short name for a result, such as "damaged"; static. */
SKL_API const char* skl_result_name(skl_result result);
/* "0.1.0"; static. */
SKL_API const char* skl_version(void);

/* Identifies an asset of one context until its mount is unmounted. 0 is never an asset. */
typedef uint64_t skl_asset;

/* ---- context: it holds everything else; there are no process globals ----------------------- */

typedef struct skl_context skl_context;

/* Allocates blocks, tables, queues and sweeps. All other memory, for mounting and recording, comes
 * from C++'s operator new. The functions may be called from any thread, concurrently, and during
 * reads and unmounts. They may not call the library. If both are NULL, the C library's allocator is
 * used. */
typedef struct skl_allocator {
  uint32_t struct_bytes; /* sizeof(skl_allocator) */
  /* The alignment is a power of two up to 2 MiB. If it returns NULL, the call or the request that
   * needed the memory fails with OUT_OF_MEMORY. */
  void* (*allocate)(void* user, size_t size_bytes, size_t alignment_bytes);
  /* size_bytes is the size that was passed to `allocate`. */
  void (*release)(void* user, void* memory, size_t size_bytes);
  void* user;
} skl_allocator;

/* The kind of event that a canary reports. A canary is a warning given while the game runs. */
typedef enum skl_canary_kind {
  SKL_CANARY_SLOW_READ = 1, /* one read took longer than slow_read_ms */
  SKL_CANARY_BACKWARD_SEEK, /* a sweep went back to bytes before those it had already read */
  SKL_CANARY_SMALL_READS,   /* `count` small reads in a row, each with a seek */
  /* An asset was requested during a sweep that doesn't contain it, so the trace may be out of date;
   * reported once per asset and sweep. */
  SKL_CANARY_OUTSIDE_SWEEP,
  SKL_CANARY_MISSED_DEADLINE, /* a request was answered after its deadline */
  SKL_CANARY_RETRIED_BLOCK    /* bytes didn't match their checksum and were read once more */
} skl_canary_kind;

typedef struct skl_canary {
  uint32_t struct_bytes;
  skl_canary_kind kind;
  skl_asset asset;       /* 0: none */
  uint64_t offset_bytes; /* offset in the file, or in a request's asset; 0: none */
  uint64_t duration_us;  /* how long the read took, or how late it was; 0: doesn't apply */
  uint64_t count;        /* number of such events; at least 1 */
  char message[256];     /* one line, possibly truncated */
} skl_canary;

/* Receives canaries. `canary` is valid only during the call. The function must return quickly and
 * not call the library, because reading stops meanwhile. It is called concurrently from the
 * library's threads and from threads that call the library. */
typedef void (*skl_canary_function)(void* user, const skl_canary* canary);

/* The kind of device that holds the mounts. DETECT decides for each device. At first it believes
 * the system (rotational if the system doesn't know). After 32 far jumps (16 MiB or more) that
 * waited for the device, it decides by the time they took. So a fast virtual disk is read as solid
 * even if it claims to be rotational, and a hard disk as rotational even if it claims to be solid
 * or has a cache in front. Reads from the page cache don't count. skl_stats tells the decision and
 * its source.
 */
typedef enum skl_media { SKL_MEDIA_DETECT = 0, SKL_MEDIA_ROTATIONAL, SKL_MEDIA_SOLID } skl_media;

/* Tells what the decision about a device's media is based on. */
typedef enum skl_media_source {
  SKL_MEDIA_SOURCE_NONE = 0, /* nothing yet, because nothing was read */
  SKL_MEDIA_SOURCE_OPTIONS,  /* skl_context_options.media */
  SKL_MEDIA_SOURCE_SYSTEM,   /* the system's own information about the device */
  SKL_MEDIA_SOURCE_UNKNOWN,  /* nothing, so it counts as rotational */
  SKL_MEDIA_SOURCE_MEASURED  /* the time that jumps took */
} skl_media_source;

/* How the reader reads. On Linux, DETECT uses one thread for a rotational device and io_uring for a
 * solid one; on Windows it uses completion ports. If the system lacks the chosen backend, or
 * refuses it later (a seccomp filter, a descriptor that somebody closes), threads are used. With
 * PORTS, sweeps bypass Windows' cache, unless a prefetch or requests have read the pack through the
 * cache before; threads read everything else through the cache. With PUMP, the library starts no
 * thread, and the game reads when it calls skl_pump (a recorder still has its own thread). */
typedef enum skl_backend {
  SKL_BACKEND_DETECT = 0,
  SKL_BACKEND_THREADS,
  SKL_BACKEND_URING, /* Linux's io_uring */
  SKL_BACKEND_PORTS, /* Windows' completion ports */
  SKL_BACKEND_PUMP   /* the game's own threads, in skl_pump */
} skl_backend;

/* Decodes raw deflate (RFC 1951): all of `source` into exactly destination_bytes. Any result but
 * SKL_OK counts as damage. It is called from any thread, concurrently. */
typedef skl_result (*skl_inflate_function)(void* user, const void* source, size_t source_bytes,
                                           void* destination, size_t destination_bytes);

typedef struct skl_context_options {
  uint32_t struct_bytes;          /* sizeof(skl_context_options) */
  uint64_t memory_budget_bytes;   /* limit for all blocks in memory, without tables; 0: 16 MiB */
  const skl_allocator* allocator; /* copied; NULL: the C library's */
  skl_media media;
  skl_backend backend;
  /* Reads in flight on each device, 1..64, for queues, sweeps and prefetches; 0: chosen by media.
   * The first queue, sweep or prefetch starts the threads. */
  uint32_t threads;
  /* How many extra seeks per second, on average, urgent requests may cause by going out of turn.
   * Beyond that, requests with a deadline are collected until it is near, and others are read in
   * the disk's order. 0: 50. */
  uint32_t bypasses_per_second;
  uint32_t slow_read_ms;         /* a read this long or longer is a SKL_CANARY_SLOW_READ; 0: 500 */
  skl_canary_function on_canary; /* NULL: canaries are only counted */
  void* canary_user;
  skl_inflate_function inflate; /* decodes deflated entries of zips; NULL: they are UNSUPPORTED */
  void* inflate_user;
} skl_context_options;

/* Creates a context. `options` may be NULL. Destroy it with skl_context_destroy. */
SKL_API skl_result skl_context_create(const skl_context_options* options, skl_context** out,
                                      skl_error* error);
/* Call this when no other call with the context is in progress. It stops recording, cancels
 * outstanding reads of queues, sweeps and prefetches, and waits until nothing writes into callers'
 * memory any more. Queues and sweeps that still exist then return CANCELLED; destroy and close them
 * as usual. Leases stay valid until they are released. NULL is allowed. */
SKL_API void skl_context_destroy(skl_context* context);

/* ---- mounts --------------------------------------------------------------------------------- */

#define SKL_TO_THE_END UINT64_MAX /* as a length: up to the end */

typedef uint32_t skl_mount_id; /* 0 is never a mount; a number isn't reused soon */

/* A file that the caller has opened: bytes in memory, a function that reads, or part of an open
 * file. The first of `data`, `read_at` and `descriptor` that is set is used. */
typedef struct skl_file {
  uint32_t struct_bytes;
  /* Applies to read_at. SOLID: several reads run at once (four, or the context's `threads`);
   * otherwise one after the other, in the order of their offsets. */
  skl_media media;
  /* For a descriptor, SKL_TO_THE_END means everything from descriptor_offset_bytes on. */
  uint64_t size_bytes;
  const void* data;
  /* Fills `destination` with `length_bytes` from `offset_bytes` on. The library never reads past
   * size_bytes. The function may block. It returns 0, or an error number that skl_error.os_error
   * then shows. It is called concurrently from the library's threads and from threads that call the
   * library. It may not call the library. */
  int32_t (*read_at)(void* user, uint64_t offset_bytes, void* destination, size_t length_bytes);
  intptr_t descriptor;              /* a file descriptor; on Windows a HANDLE, opened without
                                       FILE_FLAG_OVERLAPPED. Its position isn't used and doesn't change */
  uint64_t descriptor_offset_bytes; /* where this file begins in the open file */
  /* Called when nothing reads the file any more; may be NULL. */
  void (*close)(void* user);
  void* user;
} skl_file;

/* Opens a mount's files in place of the system: Android's assets, an encrypted container, a
 * console's or an engine's own files. The functions are called from any thread, concurrently. They
 * may not call the library. */
typedef struct skl_file_io {
  uint32_t struct_bytes;
  /* Fills in `file`, whose members are all 0 except struct_bytes. Returns OK, NOT_FOUND (a mount
   * may ask for files that don't exist), or another error. `path` is the path given to skl_mount,
   * or that path, a '/' and a name: "catalog.skl", a pack's name, or ".seekless-new/" and a pack's
   * name. */
  skl_result (*open)(void* user, const char* path, skl_file* file);
  /* Called when no mount and no file uses this any more; may be NULL. */
  void (*close)(void* user);
  void* user;
} skl_file_io;

/* ---- Changes in a folder of loose files while it is mounted */

typedef enum skl_change_kind {
  SKL_CHANGE_ADDED = 1,
  SKL_CHANGE_CHANGED, /* its size, time or inode changed; the asset keeps its number */
  SKL_CHANGE_REMOVED, /* its asset is STALE until the file exists again */
  /* No more changes will be reported; `error` says why. The mount stays as it is; mount the folder
   * again to see later changes. */
  SKL_CHANGE_UNWATCHED
} skl_change_kind;

typedef struct skl_change {
  uint32_t struct_bytes;
  skl_change_kind kind;
  skl_mount_id mount;
  skl_asset asset;        /* UNWATCHED: 0 */
  uint64_t size_bytes;    /* its size now; REMOVED: 0 */
  const char* path;       /* path in the name space; UNWATCHED: the folder that was mounted */
  const skl_error* error; /* UNWATCHED: the reason; else NULL */
} skl_change;

/* `change` is valid only during the call. One call reports all changes to a file since the last
 * report. By then, finding and reading already show the change. The function is called on the
 * mount's own thread or in skl_pump; if the folder can't be watched at all, also before skl_mount
 * returns. It may call any function except skl_unmount of this mount and skl_context_destroy. */
typedef void (*skl_change_function)(void* user, const skl_change* change);

typedef struct skl_mount_options {
  uint32_t struct_bytes;
  /* Folder of the name space under which the mount's paths appear, such as "mods/winter", without a
   * '/' at the end; NULL or "": the root. */
  const char* at;
  /* If two mounts have the same path, the one with the higher priority hides the other; at equal
   * priority, the later one does. */
  int32_t priority;
  /* For a folder or a zip: 1 treats A-Z and a-z as the same in its paths. A pack stores this
   * setting in its file. */
  uint32_t fold_case;
  /* Paths, relative to `at`, that this mount hides in lower mounts. A '/' at the end hides
   * everything below that folder. Copied. */
  const char* const* deletions;
  size_t deletion_count;
  /* Opens the mount's files; NULL: the system does. Copied. It can open pack sets, packs and zips,
   * but no folders of loose files. */
  const skl_file_io* io;
  /* For a folder of loose files, in development. Reports files that are added, changed and removed,
   * within 100 ms and without mounting again; if thousands change at once, it takes as long as
   * their stat calls. Works on Linux and Windows, but misses what other machines change on a
   * network drive. NULL: not wanted. Mounts of other kinds don't change. */
  skl_change_function on_change;
  void* change_user;
} skl_mount_options;

/* Mounts a pack set (its folder, or its catalog.skl), a single pack, a zip, or a folder of loose
 * files (any that holds no catalog.skl). `options` and `mount` may be NULL.
 *
 * Finding takes as long with many mounts as with two. A requested path is compared with each
 * mount's paths by that mount's fold_case. A file ".skl-deleted" at the root of a mount lists
 * further deletions, one path per line. A mount's own files stay visible even if it deletes their
 * paths.
 *
 * Pack set, pack: reads the tables of a set's catalog, or of a single pack. A set's packs are
 * opened when they are first needed. Their names are read only if another mount deletes folders, if
 * this mount isn't at the root, or if it hashes paths differently from the largest mount.
 *
 * Folder: lists all files below it now, and keeps none open. Links are followed, even to places
 * outside. Pipes, devices, broken links, and links to a folder that contains them are left out. A
 * name that no asset may have (a backslash, not UTF-8) is an error. If a file's size, time or inode
 * changes later, reading it returns STALE; mount it again, or set options.on_change.
 *
 * Zip: reads its central directory, including zip64, even if it comes before the entries as in
 * Firefox's archives. Stored entries are read directly. Deflated ones need the context's `inflate`,
 * and reading a part decodes the whole entry. Reading an entry that is encrypted or uses another
 * method returns UNSUPPORTED. If several entries have the same path, the last one is used. Names
 * that aren't UTF-8 are read as unzip does: by the Unicode path field, or as code page 437. In
 * entries made on Windows, a backslash is a '/'. skl_find doesn't find links, entries with invalid
 * paths ("../a", "/a", "c:a"), and files that are also a folder of others ("a" beside "a/b"). The
 * packer uses the same rules, and counts the entries it leaves out.
 *
 * Errors: NOT_FOUND, INVALID (options, or 4096 mounts), DAMAGED, UNSUPPORTED, IO. */
SKL_API skl_result skl_mount(skl_context* context, const char* path,
                             const skl_mount_options* options, skl_mount_id* mount,
                             skl_error* error);

/* Mounts a single pack or a zip that is already open: in memory, in part of another file, or read
 * by a function. Errors call it `name`. `file` is copied. Its `close` is called once, when nothing
 * uses it any more, which may be after skl_unmount and skl_context_destroy. If this call fails, it
 * calls `close` before it returns. Errors: as for skl_mount; INVALID (the file's members, or
 * options.io is set).
 */
SKL_API skl_result skl_mount_file(skl_context* context, const char* name, const skl_file* file,
                                  const skl_mount_options* options, skl_mount_id* mount,
                                  skl_error* error);

/* Removes a mount: paths that it hid can be found again, and its assets become STALE. Doesn't wait:
 * reads, leases, sweeps and requests that use it continue, and the last of them closes its files.
 * (A recorder first looks up the paths of its assets.) Errors: STALE (already unmounted), INVALID
 * (never mounted). After OUT_OF_MEMORY, DAMAGED and IO it is still mounted; DAMAGED and IO can
 * occur if the names of the remaining mounts must be read. */
SKL_API skl_result skl_unmount(skl_context* context, skl_mount_id mount, skl_error* error);

/* Returns OK if the mount's folder is being watched (options.on_change). Otherwise returns why not:
 * IO (os_error tells which system limit was reached, or that no thread could be started),
 * OUT_OF_MEMORY, NOT_FOUND (the folder is gone), UNSUPPORTED (on this system), or INVALID (never
 * requested). */
SKL_API skl_result skl_mount_watched(skl_context* context, skl_mount_id mount, skl_error* error);

/* Calls `visit` for every path that skl_find finds, until `visit` returns nonzero. The mount of
 * lowest priority comes first; within a mount, paths come in the order of its file. Opens all packs
 * and reads their names. Mounting and unmounting meanwhile don't affect the list; `visit` may call
 * any function. Errors: DAMAGED, IO. */
SKL_API skl_result skl_list(skl_context* context,
                            int (*visit)(void* user, const char* path, skl_asset asset,
                                         uint64_t size_bytes),
                            void* user, skl_error* error);

/* Calls `visit` for every asset that a sweep of `scenario` hands out, in that order, until `visit`
 * returns nonzero. `scenario` is as for skl_sweep_open. Opens the packs that it needs and reads
 * their names; `visit` may call any function. Errors: NOT_FOUND, DAMAGED, IO. */
SKL_API skl_result skl_list_scenario(skl_context* context, const char* scenario,
                                     int (*visit)(void* user, const char* path, skl_asset asset,
                                                  uint64_t size_bytes),
                                     void* user, skl_error* error);

/* ---- directory: all paths, in order ---------------------------------------------------------- */

/* All paths that skl_find found when the directory was made, sorted by their bytes. It doesn't
 * change, so every function but skl_directory_destroy may be called from many threads at once and
 * takes no lock. Make another one after mounting. It needs memory for the paths and 32 bytes for
 * each. */
typedef struct skl_directory skl_directory;

/* A file, or a folder if `asset` is 0. */
typedef struct skl_entry {
  /* The whole path, in the directory's memory. It isn't zero-terminated; see length_bytes. */
  const char* path;
  size_t length_bytes;
  skl_asset asset;
  uint64_t size_bytes;
} skl_entry;

/* Opens all packs and reads their names. Errors: DAMAGED, IO, OUT_OF_MEMORY. */
SKL_API skl_result skl_directory_create(skl_context* context, skl_directory** out,
                                        skl_error* error);
/* Lists the files whose paths begin with `prefix` ("" or NULL: all), page by page. Set `cursor` to
 * 0 first; each call advances it. `count` receives the number of entries listed, at most
 * `capacity`. Returns OK, or END (there are no more; count is 0). Errors: INVALID (a parameter is
 * NULL). */
SKL_API skl_result skl_directory_list(const skl_directory* directory, const char* prefix,
                                      uint64_t* cursor, skl_entry* out, size_t capacity,
                                      size_t* count);
/* Lists the content of one folder, such as "maps" ("" or NULL: the root): its files, and each
 * folder in it once, sorted as if folder names ended with '/'. Also returns END if there is no such
 * folder. Otherwise like skl_directory_list. */
SKL_API skl_result skl_directory_children(const skl_directory* directory, const char* folder,
                                          uint64_t* cursor, skl_entry* out, size_t capacity,
                                          size_t* count);
/* Destroys the directory. NULL is allowed. */
SKL_API void skl_directory_destroy(skl_directory* directory);

/* ---- assets --------------------------------------------------------------------------------- */

typedef struct skl_hash {
  uint8_t bytes[16]; /* XXH3-128 in its canonical form, as xxh128sum prints it */
} skl_hash;

/* Finds a path in all mounts. No lock, no allocation, no I/O; a miss is as cheap as a hit.
 * `size_bytes` may be NULL. Errors: NOT_FOUND, INVALID. */
SKL_API skl_result skl_find(skl_context* context, const char* path, skl_asset* asset,
                            uint64_t* size_bytes);

/* Like skl_find, for a path without a zero byte at its end. */
SKL_API skl_result skl_find_bytes(skl_context* context, const char* path, size_t length_bytes,
                                  skl_asset* asset, uint64_t* size_bytes);

/* A path's hash, computed in advance, so that finding the path needs only a lookup. The members are
 * for the library's own use. It may be stored in a file: it is the same in all versions of the
 * library. */
typedef struct skl_path_hash {
  /* The seed of the largest pack set or pack mounted at the root; 0 if there is none. */
  uint64_t seed;
  uint64_t exact;
  uint64_t folded;
} skl_path_hash;

/* `path` needs no zero byte at its end, and needn't exist. No lock, no allocation, no I/O. Errors:
 * INVALID. */
SKL_API skl_result skl_hash_path(skl_context* context, const char* path, size_t length_bytes,
                                 skl_path_hash* hash);
/* Finds the asset like skl_find, with the same result. Errors: NOT_FOUND; INVALID (a parameter is
 * NULL); STALE (mounting has changed the seed since; hash the path again).
 *
 * skl_find and skl_find_hashed both compare paths only by the 64 bits of their XXH3-64. No two
 * paths in one pack set have the same hash (the packer picks another seed if they would), so a path
 * in a set never finds another asset of that set. A path that doesn't exist, or that belongs to
 * another mount, may have the same hash as an asset: by chance, once in 2^64 / (mounted assets). If
 * an attacker could choose the paths, compare with skl_asset_path. */
SKL_API skl_result skl_find_hashed(skl_context* context, const skl_path_hash* hash,
                                   skl_asset* asset, uint64_t* size_bytes);

#define SKL_ASSET_PACKED 1U     /* it lies in a pack */
#define SKL_ASSET_LOOSE 2U      /* it is a file of a folder */
#define SKL_ASSET_ZIPPED 4U     /* it is an entry of a zip */
#define SKL_ASSET_DEFLATED 8U   /* reading any part decodes all of it */
#define SKL_ASSET_ENCRYPTED 16U /* it can't be read */

/* Facts about an asset that need no reading. */
typedef struct skl_asset_info {
  uint32_t struct_bytes;
  uint32_t flags; /* a combination of the SKL_ASSET_ values above */
  uint64_t size_bytes;
  int64_t modified_ns; /* for a loose file, when it was modified, since 1970; 0: unknown */
  skl_mount_id mount;
} skl_asset_info;

/* No lock, no allocation, no I/O. Errors: INVALID, STALE. */
SKL_API skl_result skl_asset_about(skl_context* context, skl_asset asset, skl_asset_info* info);

/* Writes the asset's path in the name space: the folder where its mount is, then the path as it was
 * packed. `length_bytes` (may be NULL) receives its length without the zero byte. Returns INVALID
 * if `capacity_bytes` is less than that plus one. Reads a table on first use. */
SKL_API skl_result skl_asset_path(skl_context* context, skl_asset asset, char* path,
                                  size_t capacity_bytes, size_t* length_bytes, skl_error* error);

/* Returns the hash of the asset's content. A pack stores it in a table, which is read on first use;
 * for a loose file or a zip entry it is computed from all its bytes. */
SKL_API skl_result skl_asset_hash(skl_context* context, skl_asset asset, skl_hash* hash,
                                  skl_error* error);

/* Reads `length_bytes` at `offset_bytes` of the asset into `destination`, or less if the asset ends
 * earlier; `read_bytes` (may be NULL) receives the count. An offset past the end is INVALID. A read
 * of a whole asset is checked against its hash, or in a zip against its CRC; loose files have
 * neither. A partial read isn't checked in an uncompressed pack or a stored entry. In a compressed
 * pack every block is checked. Blocks are decoded within the memory budget (if that is full, two
 * more are allocated), and the latest few are kept. Errors: INVALID, STALE, DAMAGED (the
 * destination then holds the damaged bytes; also if a file has shrunk), UNSUPPORTED, IO. */
SKL_API skl_result skl_read(skl_context* context, skl_asset asset, uint64_t offset_bytes,
                            void* destination, size_t length_bytes, size_t* read_bytes,
                            skl_error* error);

/* ---- sweep: a scenario's assets in the order they lie on the disk ---------------------------- */

typedef struct skl_sweep skl_sweep;

/* A read-only view of an asset, or of a part of one that is larger than a block. Parts of an asset
 * come in order. Only parts of assets with the same bytes, and assets requested by skl_sweep_want,
 * come between them. A lease is valid until it is released, which any thread may do.
 */
typedef struct skl_lease {
  skl_asset asset;
  uint64_t asset_bytes;  /* size of the whole asset */
  uint64_t offset_bytes; /* where this part begins in the asset */
  const void* data;      /* aligned as the asset was packed, up to 4096 */
  size_t size_bytes;     /* size of this part */
  void* block;           /* only for the library's use */
} skl_lease;

/* Says which scenario is being loaded. If an asset has several copies, the one near the scenario's
 * other assets is then read; otherwise the default copy. Opening a sweep has the same effect for
 * its set. The call affects the sets that are mounted now, until the next such call. Sets without
 * the scenario use "typical" in its folder ("map/typical" for "map/rush"). NULL means no scenario.
 * Any thread may call it. Errors: NOT_FOUND (no mounted set has either scenario; the call then acts
 * as for NULL).
 */
SKL_API skl_result skl_context_set_scenario(skl_context* context, const char* scenario,
                                            skl_error* error);

/* Opens a sweep, and the files of the packs it needs; the sweep visits each pack once, tables
 * included. `scenario` is looked up in the mounted pack sets, the latest mount first. If no set has
 * "map/rush", "map/typical" is swept (read the other assets on demand). NULL sweeps all of a single
 * pack. Close it with skl_sweep_close. Errors: NOT_FOUND (no mount has either), INVALID (the memory
 * budget is less than one block, or two of a compressed pack), DAMAGED, UNSUPPORTED, IO. */
SKL_API skl_result skl_sweep_open(skl_context* context, const char* scenario, skl_sweep** out,
                                  skl_error* error);
/* Hands out the next asset of the scenario from the sweep's own mount, even one that a later mount
 * hides (compare with what skl_find gives). Never waits for the disk; blocks are read ahead, up to
 * three quarters of the memory budget. Only one thread at a time receives an asset; others wait.
 * Every block is checked before any of it is handed out, and read once more if it is wrong. After
 * DAMAGED or IO, the sweep can continue: the error message names the affected assets, and the next
 * call skips that block or pack. After OUT_OF_MEMORY, or IO because no thread could be started,
 * nothing is skipped: the next call tries again. Returns OK, END, or WOULD_BLOCK (not read yet, or
 * leases and other sweeps use up the memory budget). Errors: DAMAGED, IO, OUT_OF_MEMORY, CANCELLED
 * (the context is gone). */
SKL_API skl_result skl_sweep_next(skl_sweep* sweep, skl_lease* lease, skl_error* error);
/* Like skl_sweep_next, but first waits for up to `timeout_ms` (UINT32_MAX: forever) until the disk
 * has read the asset or other threads have released memory. Returns WOULD_BLOCK if the time runs
 * out. */
SKL_API skl_result skl_sweep_wait(skl_sweep* sweep, uint32_t timeout_ms, skl_lease* lease,
                                  skl_error* error);
/* Requests an asset early: its block is read next, if bypasses_per_second allows the seek. The
 * asset is handed out as soon as it is read, even between the parts of another asset, and not again
 * later. Assets with the same bytes are handed out with it. Any thread may call it. NOT_FOUND: not
 * in this sweep; END: the asset, or its first part, has been handed out already. */
SKL_API skl_result skl_sweep_want(skl_sweep* sweep, skl_asset asset, skl_error* error);

typedef struct skl_progress {
  uint32_t struct_bytes;
  uint64_t read_bytes;  /* bytes read from files so far */
  uint64_t total_bytes; /* bytes that the sweep will read; skl_sweep_want adds to it */
  uint64_t reads;       /* blocks read so far */
  uint64_t jumps;       /* how often the sweep skipped a gap or changed to another file */
} skl_progress;

/* Any thread may call it at any time. total_bytes is approximate until the sweep has reached its
 * last pack. */
SKL_API void skl_sweep_progress(const skl_sweep* sweep, skl_progress* progress);
/* Closes the sweep, after waiting for any read in progress. Leases stay valid. NULL is allowed.
 */
SKL_API void skl_sweep_close(skl_sweep* sweep);

/* ---- leases: views of blocks, from sweeps and queues, and of mapped packs ---------------------
 */

/* Returns a lease on the whole asset in the page cache, without a copy. The asset must lie in an
 * uncompressed pack. The lease outlives skl_unmount and skl_context_destroy, and uses none of the
 * memory budget. The first call for an asset reads it on the calling thread, as skl_read does, and
 * checks it against its hash; later ones do neither. If the system has evicted the pages since,
 * touching them waits for the disk, so don't use this on hard disks.
 *
 * Once a pack's file has changed, calls 100 ms later or more read and check the asset each time,
 * and return DAMAGED if it was truncated or has other bytes. If the file is truncated while a lease
 * is held or being created, or if evicted pages can't be read again, touching them ends the process
 * (SIGBUS). seekless never writes into an existing pack: it replaces the file, and a lease keeps
 * the old one. Call skl_read for packs that another program may change in place.
 *
 * Errors: INVALID, STALE, DAMAGED, IO, OUT_OF_MEMORY, UNSUPPORTED (a compressed pack, a zip, a
 * loose file, a pack without a descriptor, or a system other than Linux 5.14 and later: call
 * skl_read). */
SKL_API skl_result skl_map(skl_context* context, skl_asset asset, skl_lease* lease,
                           skl_error* error);

/* Adds a holder to the lease; each holder must release it. Any thread may call it. */
SKL_API void skl_lease_retain(const skl_lease* lease);
SKL_API void skl_lease_release(const skl_lease* lease);
/* Copies the lease's bytes. Returns INVALID and copies nothing if `capacity_bytes` is less than
 * their number. */
SKL_API skl_result skl_lease_copy(const skl_lease* lease, void* destination, size_t capacity_bytes);
/* Call this to keep a lease for a long time: its block no longer counts toward the memory budget.
 * The whole block stays in memory until the last lease on it is released. */
SKL_API skl_result skl_lease_claim(const skl_lease* lease, skl_error* error);

/* ---- queue: requests in the background ------------------------------------------------------- */

/* A queue of requests. All requests of a context for one device are put into the disk's order,
 * whichever queue they are in. Every function but skl_queue_destroy may be called from any thread
 * at any time. */
typedef struct skl_queue skl_queue;

typedef struct skl_completion skl_completion;

/* Receives a completion; the function must release its lease. `completion` is valid only during the
 * call. The function must return quickly, because reading stops meanwhile. It is called
 * concurrently from the library's threads and from threads that call the library (even in submit
 * and cancel). It may find and read, submit, cancel and reschedule, and release leases. It may not
 * create or destroy anything, or wait. */
typedef void (*skl_completion_function)(void* user, const skl_completion* completion);

typedef struct skl_queue_options {
  uint32_t struct_bytes;
  /* Maximum number of requests between submit and poll, 1..65536; 0: 1024. Each takes about 500
   * bytes, allocated when the queue is created. */
  uint32_t capacity;
  /* Called once for each accepted request, including cancelled ones; poll and wait then return no
   * completions. When skl_queue_destroy or skl_context_destroy returns, it has been called for
   * every request. NULL: call skl_queue_poll instead. */
  skl_completion_function on_completion;
  void* completion_user;
} skl_queue_options;

/* There are four groups: 100 and more, 0..99, -99..-1, -100 and less. Requests of higher groups go
 * first; within a group, the position on the disk decides. No request waits forever, on any medium:
 * while others wait, urgent requests and those whose deadline is near get at most three quarters of
 * the reading. Streams are served about every two seconds at least, and prefetches every twelve.
 * One round over all waiting requests, using the remaining quarter, may delay them further. */
#define SKL_PRIORITY_PREFETCH (-100)
#define SKL_PRIORITY_STREAM (-50) /* music, far textures */
#define SKL_PRIORITY_NORMAL 0
#define SKL_PRIORITY_URGENT 100 /* read next (within bypasses_per_second) */

typedef struct skl_request {
  uint32_t struct_bytes; /* sizeof(skl_request); the same for all requests of one call */
  skl_asset asset;
  uint64_t offset_bytes;
  uint64_t length_bytes; /* cut at the asset's end; SKL_TO_THE_END: everything from the offset on */
  /* The library may write here until the completion is handed out. Overlapping destinations end up
   * with a mixture. NULL: the completion has a lease, on at most one block (2 MiB in a folder or a
   * zip). */
  void* destination;
  int32_t priority;
  /* Time from submission; 0: no deadline. A request becomes urgent shortly before its deadline. If
   * it misses the deadline, it still completes. */
  uint32_t deadline_us;
  uint64_t tag; /* used for cancelling */
  void* user;
  skl_error* error; /* filled in before the completion is handed out; NULL: not wanted */
  /* Alignment of `destination`, a power of two, such as memory for a GPU upload needs; 0: not
   * stated. A destination without that alignment is INVALID before anything is read. With 4096 or
   * more, reads of whole pages may bypass the system's cache (PORTS). Uncompressed assets are read
   * straight into the destination, without a copy in the library: see skl_stats.copied_bytes. */
  uint32_t destination_alignment_bytes;
} skl_request;

struct skl_completion {
  uint32_t struct_bytes; /* the same for all completions of one call */
  skl_result result;
  uint32_t missed_deadline; /* 1: it took longer than deadline_us */
  skl_asset asset;
  uint64_t offset_bytes;
  uint64_t read_bytes; /* 0 unless OK */
  uint64_t tag;
  void* user;
  skl_lease lease;     /* must be released; block is NULL if there is none */
  uint64_t latency_us; /* time from submission until the bytes were read and checked */
};

/* Creates a queue. Destroy it with skl_queue_destroy. Errors: INVALID, OUT_OF_MEMORY. */
SKL_API skl_result skl_queue_create(skl_context* context, const skl_queue_options* options,
                                    skl_queue** out, skl_error* error);
/* Accepts requests from the front of `requests`, which the caller may free afterwards; `accepted`
 * (may be NULL) receives how many. WOULD_BLOCK: the queue is full, so poll first; requests after
 * the accepted ones aren't accepted. Never waits for room or for the disk; only the first request
 * to a pack or a loose file may open it, which reads a pack's tables. An error of a single request
 * is reported in its completion: STALE, INVALID (not an asset; an offset past its end; a lease of
 * more than a block), NOT_FOUND, IO, DAMAGED. A request of no bytes completes without reading. A
 * whole asset is checked against its hash, and a part by the checksum of each block inside it;
 * bytes that don't match are read once more. Requests without a destination wait until the memory
 * budget has room; each call of submit, poll or wait tries them again. Errors: INVALID
 * (struct_bytes of a request; those before it are accepted), OUT_OF_MEMORY, CANCELLED (the context
 * is gone). */
SKL_API skl_result skl_queue_submit(skl_queue* queue, const skl_request* requests, size_t count,
                                    size_t* accepted, skl_error* error);
/* Hands out up to `capacity` completions in the order they were completed; `count` receives how
 * many. Returns OK, or END (no request is outstanding, and no completion was left). Errors: INVALID
 * (a parameter is NULL, or struct_bytes of the first completion isn't a valid size). */
SKL_API skl_result skl_queue_poll(skl_queue* queue, skl_completion* out, size_t capacity,
                                  size_t* count);
/* Like skl_queue_poll, but waits up to `timeout_ms` (UINT32_MAX: forever) for at least one
 * completion, while the disk reads or other threads release memory. Returns WOULD_BLOCK if none
 * came in that time. */
SKL_API skl_result skl_queue_wait(skl_queue* queue, uint32_t timeout_ms, skl_completion* out,
                                  size_t capacity, size_t* count);
/* Cancels the unfinished requests with (request.tag & mask) == (tag & mask). They complete as
 * CANCELLED; one that is being read does so after that read. This call doesn't wait, and doesn't
 * block other threads while it searches the queue. Returns the number of cancelled requests. */
SKL_API size_t skl_queue_cancel(skl_queue* queue, uint64_t tag, uint64_t mask);
/* Changes the priority and deadline of the unfinished requests with (request.tag & mask) == (tag &
 * mask). `deadline_us` counts from this call; 0: none. Reads already in progress don't get faster.
 * Doesn't wait. Returns the number of changed requests; if memory runs out, the remaining ones stay
 * unchanged and don't count. */
SKL_API size_t skl_queue_reschedule(skl_queue* queue, uint64_t tag, uint64_t mask, int32_t priority,
                                    uint32_t deadline_us);
/* Returns a handle to wait for together with others (poll, epoll, kqueue; WaitForMultipleObjects).
 * It becomes readable, or signalled, when calling skl_queue_poll is worthwhile, and stays so until
 * that call. It is an eventfd on Linux, an event on Windows, and a pipe elsewhere. The queue owns
 * it and closes it when destroyed; don't read from it. Every call returns the same handle. Errors:
 * INVALID, IO (no more descriptors: the queue still works, and the next call tries again),
 * OUT_OF_MEMORY. */
SKL_API skl_result skl_queue_event(skl_queue* queue, intptr_t* handle, skl_error* error);
/* Cancels all requests, and waits until nothing writes into destinations any more. Completions that
 * weren't polled are discarded, and their leases released. NULL is allowed. */
SKL_API void skl_queue_destroy(skl_queue* queue);

/* ---- streams: music and video, read ahead --------------------------------------------------- */

/* Reads an asset, or a part of it, from front to back, ahead of a position. The bytes are read into
 * the stream's own memory by requests with deadlines: each part is due after half of the time until
 * it is needed. So it arrives in time even during sweeps and urgent requests, as far as the disk
 * can keep up. One thread at a time uses a stream; others wait. */
typedef struct skl_stream skl_stream;

typedef struct skl_stream_options {
  uint32_t struct_bytes;
  /* How fast the bytes are consumed; 0: measured. During the first second, each part is assumed to
   * last half a second. */
  uint32_t bytes_per_second;
  uint64_t offset_bytes; /* where the stream begins in the asset */
  uint64_t length_bytes; /* 0: up to the asset's end */
  /* Memory to read ahead into, allocated when the stream is opened, outside the memory budget; 64
   * KiB to 1 GiB; 0: 1 MiB. */
  uint64_t ahead_bytes;
} skl_stream_options;

/* Opens a stream: finds the asset's place and begins to read in the background. `options` may be
 * NULL. Close it with skl_stream_close. Errors: INVALID, STALE, OUT_OF_MEMORY, and those of opening
 * a pack. */
SKL_API skl_result skl_stream_open(skl_context* context, skl_asset asset,
                                   const skl_stream_options* options, skl_stream** out,
                                   skl_error* error);
/* Copies up to `length_bytes` that have arrived at the position, and advances the position;
 * `read_bytes` (may be NULL) receives how many. Never waits for the disk. Parts are checked like
 * those of requests. Returns OK, END, or WOULD_BLOCK (nothing has arrived yet). Errors: DAMAGED,
 * IO, UNSUPPORTED, OUT_OF_MEMORY (the next call tries the same part again); STALE, CANCELLED (the
 * mount or the context is gone, and all bytes read ahead have been returned). */
SKL_API skl_result skl_stream_read(skl_stream* stream, void* destination, size_t length_bytes,
                                   size_t* read_bytes, skl_error* error);
/* Like skl_stream_read, but waits up to `timeout_ms` (UINT32_MAX: forever) until `length_bytes`
 * have arrived, or the asset ends, or an error occurs. If the time runs out, OK may come with fewer
 * bytes. */
SKL_API skl_result skl_stream_wait(skl_stream* stream, uint32_t timeout_ms, void* destination,
                                   size_t length_bytes, size_t* read_bytes, skl_error* error);
/* Moves to `position_bytes` of the stream. Bytes that were already read ahead there are kept.
 * Returns INVALID if the position is past the end. */
SKL_API skl_result skl_stream_seek(skl_stream* stream, uint64_t position_bytes);

typedef struct skl_stream_info {
  uint32_t struct_bytes;
  /* How often a read returned less than it asked for because the rest hadn't arrived yet. Waiting
   * for the first bytes, after opening or a seek, doesn't count. */
  uint32_t stalls;
  uint64_t size_bytes;
  uint64_t position_bytes;
  uint64_t ahead_bytes; /* bytes that have arrived, from the position on */
  uint64_t stalled_us;  /* total time from a stall to the next read that returned bytes */
  uint64_t longest_stall_us;
} skl_stream_info;

SKL_API void skl_stream_about(const skl_stream* stream, skl_stream_info* info);
/* Closes the stream, after waiting for any read in progress. NULL is allowed. */
SKL_API void skl_stream_close(skl_stream* stream);

/* ---- pump: reading without threads of the library -------------------------------------------- */

/* For a context with SKL_BACKEND_PUMP. Does the work of queues, sweeps, streams, prefetches and
 * watched folders on this thread: reads, checks, decodes and hands out. Does at least one step.
 * Returns when nothing more can be done now, or when `budget_us` have passed. With io_uring, it
 * never waits for the disk; elsewhere one read (1 MiB at most; all of an asset that is decoded
 * whole) may exceed the budget. skl_queue_wait, skl_sweep_wait and skl_stream_wait also pump while
 * they wait, and so does any function that destroys or closes something while it is being read.
 * Returns OK (work is still outstanding), END (none is), or WOULD_BLOCK (another thread is already
 * pumping). Errors: INVALID (the context has threads).
 */
SKL_API skl_result skl_pump(skl_context* context, uint64_t budget_us);

/* ---- prefetch -------------------------------------------------------------------------------- */

/* Reads what `scenario` needs into the page cache, in the background, at lower priority than
 * everything else. Uses none of the memory budget. Opens the packs that the scenario needs.
 * `ticket` may be NULL. Errors: as for skl_sweep_open. */
SKL_API skl_result skl_prefetch(skl_context* context, const char* scenario, uint64_t* ticket,
                                skl_error* error);
/* Cancels a prefetch. NOT_FOUND: there is no such prefetch, or it has ended. */
SKL_API skl_result skl_prefetch_cancel(skl_context* context, uint64_t ticket);

/* ---- stats ----------------------------------------------------------------------------------- */

/* Counters for queues, sweeps and prefetches since the context was created or skl_stats_reset was
 * called. From budget_bytes on, members give the present state, except peak_used_bytes and wait_us.
 */
typedef struct skl_stats {
  uint32_t struct_bytes;
  uint64_t read_bytes;
  uint64_t reads;
  uint64_t seeks;              /* reads that didn't begin where the previous one ended */
  uint64_t sequential_bytes;   /* bytes of reads without a seek */
  uint64_t coalesced_requests; /* requests served by another request's read */
  uint64_t gap_bytes;          /* unused bytes between coalesced requests, read with them */
  uint64_t cache_hits;         /* reads that were too fast for a disk */
  uint64_t requests;           /* requests that queues have accepted */
  uint64_t cancelled;
  uint64_t missed_deadlines;
  uint64_t bypasses;     /* reads that went out of turn */
  uint64_t would_blocks; /* how often any function returned WOULD_BLOCK */
  uint64_t retried_blocks;
  uint64_t damaged_blocks;
  uint64_t io_errors;
  uint64_t canaries;
  uint64_t budget_bytes;
  uint64_t used_bytes;      /* part of the budget used by leased and cached blocks */
  uint64_t leased_bytes;    /* bytes in leases that aren't released */
  uint64_t peak_used_bytes; /* since creation or the last reset */
  uint64_t wait_us;         /* time spent in skl_sweep_wait and skl_queue_wait */
  /* The next members describe the device that queues, sweeps and prefetches have read most from
   * since the context was created. */
  uint32_t devices; /* number of devices read from */
  skl_media media;  /* how that device is read now; DETECT: nothing has been read */
  skl_media_source media_source;
  /* What the system says about that device; DETECT: nothing, or it wasn't asked. */
  skl_media system_media;
  uint32_t media_changes; /* how often the measured time of reads has changed `media` */
  /* How many of the latest 32 timed jumps took less than 2 ms; from 29 on, the device counts as
   * solid. */
  uint32_t fast_jumps;
  uint32_t slow_jumps; /* how many of them took 4 ms or more; from 12 on, it counts as rotational */
  uint64_t jumps_timed;    /* far jumps that waited for the device */
  uint64_t median_jump_us; /* median of the latest 32 timed jumps */
  /* Since the reset: bytes that the library copied from decoded blocks into callers' memory. All
   * other bytes are read or decoded there directly. */
  uint64_t copied_bytes;
} skl_stats;

SKL_API void skl_stats_get(skl_context* context, skl_stats* stats);
SKL_API void skl_stats_reset(skl_context* context);
/* Shows what holds memory: calls `visit` for each asset with unreleased leases, with their total
 * bytes and how long the oldest has been held. `visit` may call the library. If there is no memory
 * for the list, `visit` isn't called. */
SKL_API void skl_stats_pins(skl_context* context,
                            void (*visit)(void* user, skl_asset asset, uint64_t bytes,
                                          uint64_t held_ms),
                            void* user);

/* ---- recorder: the running game writes a trace ------------------------------------------------
 */

typedef struct skl_recorder_options {
  uint32_t struct_bytes;
  /* Size of the buffer between the game's threads and the writing thread, 64 bytes per event.
   * Events that don't fit count as lost. 0: 1 MiB; at most 1 GiB. */
  uint64_t ring_bytes;
  const char* scenario; /* the scenario that is being loaded, until the first mark; NULL: none */
} skl_recorder_options;

/* From now on, records what this context finds, reads and hands out in the file `path`, as a trace
 * for `seekless profile`, `plan` and `analyze`. Assets are named as they were packed, without the
 * folder they are mounted at. Failed lookups aren't recorded. Recording takes no lock, and makes a
 * read about 0.1 us longer; a separate thread writes. `options` may be NULL. Errors: INVALID (a
 * recording is under way), IO, NOT_FOUND (no such folder). */
SKL_API skl_result skl_recorder_start(skl_context* context, const char* path,
                                      const skl_recorder_options* options, skl_error* error);
typedef struct skl_upload_options {
  uint32_t struct_bytes;
  uint32_t day; /* days since 1970-01-01; 0: today, in UTC */
  /* Maximum size of the file, such as one day's allowance; 0: 64 KiB; at most 16 MiB. */
  uint64_t most_bytes;
  uint64_t ring_bytes;  /* as in skl_recorder_options */
  const char* scenario; /* as in skl_recorder_options */
  uint8_t client[16];   /* random bytes, created once per installation; not all 0 */
} skl_upload_options;

/* From now on, records in the file `path`, for a fleet (schemas/fleet-upload.md), which assets of
 * the pack set `mount` each scenario reads, in the order of their first reads. An asset takes one
 * to two bytes, or three if its number is 8,192 or more from the previous one. Reads are recorded
 * only while a scenario of the set is marked. The file contains no path, no name and no time of
 * day, and nothing that isn't listed here. The library sends nothing; sending, and asking the
 * player, is up to the game. Blocks are written when they are full and when scenarios end, so a
 * killed game loses 4 KiB at most. skl_recorder_mark and skl_recorder_stop also apply to it.
 * Errors: INVALID (a recording is under way, not a pack set with scenarios, no client), STALE
 * (unmounted), IO, NOT_FOUND (no such folder). */
SKL_API skl_result skl_recorder_start_uploads(skl_context* context, skl_mount_id mount,
                                              const char* path, const skl_upload_options* options,
                                              skl_error* error);
/* Call this when a scenario begins, such as "map/lakeville", and with NULL when it ends. Errors:
 * INVALID (nothing is being recorded, or the name isn't UTF-8 without control characters). */
SKL_API skl_result skl_recorder_mark(skl_context* context, const char* scenario);
/* Writes the remaining events and closes the file. `lost_events` (may be NULL) receives the number
 * of events that didn't fit into the ring, or couldn't be named or written. Errors: INVALID
 * (nothing is being recorded), IO (the first failed write; the file holds what came before it).
 * Destroying the context also ends a recording. */
SKL_API skl_result skl_recorder_stop(skl_context* context, uint64_t* lost_events, skl_error* error);

/* ---- hashing, for checking content yourself ----------------------------------------- */

typedef struct skl_hasher skl_hasher;

SKL_API skl_result skl_hasher_create(skl_hasher** out);
SKL_API void skl_hasher_reset(skl_hasher* hasher);
SKL_API void skl_hasher_update(skl_hasher* hasher, const void* data, size_t size_bytes);
SKL_API void skl_hasher_finish(const skl_hasher* hasher, skl_hash* hash);
SKL_API void skl_hasher_destroy(skl_hasher* hasher);

#ifdef __cplusplus
}
#endif

#endif
