/* seekless: reads packs (.skl) in a game. The only public header; C99.
 *
 * Ownership   What a function returns through an `out` parameter belongs to the caller until the
 *             named function gives it back. Memory that the library returns, the library frees.
 * Threads     Every function may be called from any thread, unless it says otherwise. A handle may
 *             not be used while or after another thread destroys it. Finding and reading take no
 *             lock.
 * Processes   In a process that is forked from the one that made a context, none of its threads
 *             exist. There skl_find, skl_find_bytes, skl_hash_path, skl_find_hashed,
 *             skl_asset_about, directories and leases work on. All else that takes a handle answers
 *             INVALID at once, or gives nothing; what ends something returns at once and frees
 *             nothing, and the parent's reads go on. Make a context of the child's own.
 * Failure     Functions return a skl_result: 0 or more is an answer, less is an error. The optional
 *             last parameter takes a record of the error; NULL if it isn't wanted.
 * Shortage    A call or a request that gets no memory fails alone, with OUT_OF_MEMORY; repeat it.
 *             The library works with fewer threads than it asked for. If it gets none at all, what
 *             needs one fails with IO (os_error says why), and the next call tries again. What ends
 *             something (destroy, close, release, cancel) needs neither memory nor a thread.
 * Strings     UTF-8, ended by a zero byte.
 * Structs     Each struct that the caller makes starts with struct_bytes. Set it to the struct's
 *             size before the call: `skl_error error = {sizeof error};`
 */
#ifndef SEEKLESS_H
#define SEEKLESS_H

#include <stddef.h>
#include <stdint.h>

#if defined(SKL_SHARED) && defined(_WIN32) /* who links with seekless.dll */
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
  SKL_END = 1,         /* a sweep has handed out everything */
  SKL_WOULD_BLOCK = 2, /* not yet: what was asked for hasn't been read, a queue is full, or leases
                          use up the memory budget */

  SKL_NOT_FOUND = -1,   /* no such path, scenario or file */
  SKL_INVALID = -2,     /* a parameter is out of its range */
  SKL_DAMAGED = -3,     /* bytes aren't what their checksum says, or a table is wrong */
  SKL_UNSUPPORTED = -4, /* made by a newer version of the format, or a kind that can't be read */
  SKL_IO = -5,          /* the operating system failed; see os_error */
  SKL_OUT_OF_MEMORY = -6,
  SKL_CANCELLED = -7, /* a request that was taken back */
  SKL_STALE = -8      /* the asset's mount is gone, or its loose file has changed since */
} skl_result;

/* Structs. The library may be newer or older than the header that its caller was compiled with, and
 * later versions add members at the end. So each struct that a caller makes says how long it is, in
 * struct_bytes, its first member.
 *
 * Structs that the caller fills in (options, skl_allocator, skl_request): members that a shorter
 * one lacks count as 0, and the library ignores those that a longer one has more. With struct_bytes
 * 0 the call answers INVALID, and the error says which struct it is.
 *
 * Structs that the library fills in (skl_error, skl_progress, skl_completion, skl_stats): it writes
 * the members that fit. struct_bytes 0 counts as the size in version 0.1, the first, so that
 * `skl_error error = {0};` gets its message, too.
 *
 * Arrays (of skl_request and skl_completion): all elements have the same struct_bytes, which is
 * also the distance from one to the next.
 *
 * skl_hash, skl_path_hash and skl_lease are values that the library makes. They stay the same in
 * all versions, so they have no struct_bytes. */

/* What went wrong. */
typedef struct skl_error {
  uint32_t struct_bytes;
  skl_result result;
  int32_t os_error;      /* errno or GetLastError(); 0 if none */
  uint64_t offset_bytes; /* in the file named by `message`; UINT64_MAX: not at one place */
  char message[512];     /* one line: file, place, expected, found, what to do */
} skl_error;

/* A short name for a result, such as "damaged"; static. */
SKL_API const char* skl_result_name(skl_result result);
/* "0.1.0"; static. */
SKL_API const char* skl_version(void);

/* Names an asset of one context until its mount is unmounted. 0 is never an asset. */
typedef uint64_t skl_asset;

/* ---- context: it holds everything else; there are no process globals ----------------------- */

typedef struct skl_context skl_context;

/* Memory for blocks, tables, queues and sweeps. What else mounting and recording need comes from
 * C++'s operator new. The functions are called from any thread, several at once, also while reading
 * and unmounting; they may not call the library. Both NULL: the C library's. */
typedef struct skl_allocator {
  uint32_t struct_bytes; /* sizeof(skl_allocator) */
  /* The alignment is a power of two up to 2 MiB. If it returns NULL, the call or the request that
   * needed the memory fails with OUT_OF_MEMORY. */
  void* (*allocate)(void* user, size_t size_bytes, size_t alignment_bytes);
  void (*release)(void* user, void* memory, size_t size_bytes); /* with the size asked for */
  void* user;
} skl_allocator;

/* A canary is a warning while the game runs. This is what it warns of. */
typedef enum skl_canary_kind {
  SKL_CANARY_SLOW_READ = 1,   /* one read took longer than slow_read_ms */
  SKL_CANARY_BACKWARD_SEEK,   /* a sweep went back, to bytes before those that it had read */
  SKL_CANARY_SMALL_READS,     /* `count` small reads one after the other, each with a seek */
  SKL_CANARY_OUTSIDE_SWEEP,   /* an asset was requested during a sweep that doesn't contain it: the
                                 trace may be out of date; each asset once per sweep */
  SKL_CANARY_MISSED_DEADLINE, /* a request was answered after its deadline */
  SKL_CANARY_RETRIED_BLOCK    /* bytes didn't match their checksum and were read once more */
} skl_canary_kind;

typedef struct skl_canary {
  uint32_t struct_bytes;
  skl_canary_kind kind;
  skl_asset asset;       /* 0: none */
  uint64_t offset_bytes; /* in the file, or of the asset in a request; 0: none */
  uint64_t duration_us;  /* of the read, or how late it was; 0: doesn't apply */
  uint64_t count;        /* how often it happened, 1 or more */
  char message[256];     /* one line; its end may be cut off */
} skl_canary;

/* `canary` is valid during the call. Be quick, and don't call the library: reading waits meanwhile.
 * Called from the reader's own threads and from those that call the library, several at once. */
typedef void (*skl_canary_function)(void* user, const skl_canary* canary);

/* The kind of device that holds the mounts. DETECT decides for each device: at first by what the
 * system says (rotational if it says nothing); after 32 far jumps (16 MiB or more) that waited for
 * the device, by the time they took. So a virtual disk that calls itself rotational is then read as
 * solid, and a hard disk that calls itself solid, or has a cache in front, as rotational. Reads
 * from the system's cache don't count. skl_stats says what was decided, and why. */
typedef enum skl_media { SKL_MEDIA_DETECT = 0, SKL_MEDIA_ROTATIONAL, SKL_MEDIA_SOLID } skl_media;

/* What decided how a device is read. */
typedef enum skl_media_source {
  SKL_MEDIA_SOURCE_NONE = 0, /* nothing: no read yet */
  SKL_MEDIA_SOURCE_OPTIONS,  /* skl_context_options.media */
  SKL_MEDIA_SOURCE_SYSTEM,   /* what the system says of the device */
  SKL_MEDIA_SOURCE_UNKNOWN,  /* nothing is known, so it counts as rotational */
  SKL_MEDIA_SOURCE_MEASURED  /* the time that jumps took */
} skl_media_source;

/* How the reader reads. DETECT: on Linux, one thread for a rotational device, io_uring for a solid
 * one; on Windows, completion ports. Where the system hasn't what is asked for, or refuses it later
 * (a seccomp filter, a descriptor that somebody closes), threads are used.
 * PORTS: sweeps read past Windows' cache, unless the pack was read through it before (by a
 * prefetch or requests); all else is read by threads, through the cache. PUMP: the library starts
 * no thread; the game reads when it calls skl_pump (a recorder has its thread all the same). */
typedef enum skl_backend {
  SKL_BACKEND_DETECT = 0,
  SKL_BACKEND_THREADS,
  SKL_BACKEND_URING, /* Linux' io_uring */
  SKL_BACKEND_PORTS, /* Windows' completion ports */
  SKL_BACKEND_PUMP   /* the game's own threads, in skl_pump */
} skl_backend;

/* Decodes raw deflate (RFC 1951): all of `source` into exactly destination_bytes. Anything but
 * SKL_OK counts as damage. Called from any thread, several at once. */
typedef skl_result (*skl_inflate_function)(void* user, const void* source, size_t source_bytes,
                                           void* destination, size_t destination_bytes);

typedef struct skl_context_options {
  uint32_t struct_bytes;          /* sizeof(skl_context_options) */
  uint64_t memory_budget_bytes;   /* for all blocks in memory; 0: 16 MiB. Tables don't count. */
  const skl_allocator* allocator; /* copied; NULL: the C library's */
  skl_media media;
  skl_backend backend;
  uint32_t threads;              /* reads in flight for each device, 1..64, for queues, sweeps and
                                    prefetches; 0: by media. They start with the first of these. */
  uint32_t bypasses_per_second;  /* seeks, on average, that urgent requests may add by going out of
                                    turn, at once; beyond that, those with a deadline are gathered
                                    until it is near, and others go in the disk's order. 0: 50 */
  uint32_t slow_read_ms;         /* a read this long is a SKL_CANARY_SLOW_READ; 0: 500 */
  skl_canary_function on_canary; /* NULL: canaries are only counted */
  void* canary_user;
  skl_inflate_function inflate; /* for deflated entries of zips; NULL: they are UNSUPPORTED */
  void* inflate_user;
} skl_context_options;

/* `options` may be NULL. Destroy it with skl_context_destroy. */
SKL_API skl_result skl_context_create(const skl_context_options* options, skl_context** out,
                                      skl_error* error);
/* Call it when no other call with the context is under way. It stops recording, cancels what
 * queues, sweeps and prefetches have outstanding, and waits until nothing writes into callers'
 * memory any more. Queues and sweeps that still exist then answer CANCELLED; destroy and close them
 * as always. Leases stay valid until they are released. NULL is allowed. */
SKL_API void skl_context_destroy(skl_context* context);

/* ---- mounts --------------------------------------------------------------------------------- */

#define SKL_TO_THE_END UINT64_MAX /* as a length: all that there is */

typedef uint32_t skl_mount_id; /* 0 is never a mount; a number isn't used again soon */

/* An open file of the caller's: bytes in memory, what a function reads, or a part of a file that is
 * open already. The first of `data`, `read_at` and `descriptor` that is set counts. */
typedef struct skl_file {
  uint32_t struct_bytes;
  skl_media media;     /* for read_at. SOLID: several reads at once (four, or as the context's
                          options say); else one after the other, in the order of their offsets */
  uint64_t size_bytes; /* of a descriptor, SKL_TO_THE_END: all from descriptor_offset_bytes on */
  const void* data;
  /* Fills `destination` with `length_bytes` from `offset_bytes` on; the library asks for nothing
   * past size_bytes. It may take its time. Returns 0, or another number that the error shows as
   * os_error. Called from the reader's own threads and from those that call the library, several at
   * once. It may not call the library. */
  int32_t (*read_at)(void* user, uint64_t offset_bytes, void* destination, size_t length_bytes);
  intptr_t descriptor;              /* a file descriptor; on Windows a HANDLE, opened without
                                       FILE_FLAG_OVERLAPPED. Its position isn't used and doesn't change */
  uint64_t descriptor_offset_bytes; /* where in it the file begins */
  void (*close)(void* user); /* when nothing reads it any more; NULL: nothing is to be closed */
  void* user;
} skl_file;

/* Where a mount's files come from, instead of the system: Android's assets, an encrypted container,
 * a console's or an engine's own files. The functions are called from any thread, several at once;
 * they may not call the library. */
typedef struct skl_file_io {
  uint32_t struct_bytes;
  /* Fills in `file`, which is zero but for struct_bytes. Answers OK, NOT_FOUND (a mount may ask for
   * what isn't there), or another error. `path` is what skl_mount was given, or that, a '/' and a
   * name: "catalog.skl", a pack's, ".seekless-new/" and a pack's. */
  skl_result (*open)(void* user, const char* path, skl_file* file);
  void (*close)(void* user); /* when no mount and no file uses it any more; NULL: nothing to do */
  void* user;
} skl_file_io;

/* ---- What changes in a folder of loose files while it is mounted */

typedef enum skl_change_kind {
  SKL_CHANGE_ADDED = 1,
  SKL_CHANGE_CHANGED,  /* its size, time or identity; the asset's number stays */
  SKL_CHANGE_REMOVED,  /* its asset is STALE, until the path is there again */
  SKL_CHANGE_UNWATCHED /* nothing more will be told: see `error`. The mount stays as it is; mount
                          the folder again to see what has changed since */
} skl_change_kind;

typedef struct skl_change {
  uint32_t struct_bytes;
  skl_change_kind kind;
  skl_mount_id mount;
  skl_asset asset;        /* UNWATCHED: 0 */
  uint64_t size_bytes;    /* now; REMOVED: 0 */
  const char* path;       /* in the name space; UNWATCHED: the folder that was mounted */
  const skl_error* error; /* UNWATCHED: why; else NULL */
} skl_change;

/* `change` is valid during the call. Each file is told once for what has happened to it since the
 * latest call; what it says can be found and read already. Called on a thread of the mount's own,
 * or in skl_pump, and, if the folder can't be watched from the first, before skl_mount returns. It
 * may call any function but skl_unmount of this mount and skl_context_destroy. */
typedef void (*skl_change_function)(void* user, const skl_change* change);

typedef struct skl_mount_options {
  uint32_t struct_bytes;
  const char* at;     /* the folder of the name space under which its paths appear, such as
                         "mods/winter", without a '/' at its end; NULL or "": the root */
  int32_t priority;   /* of two mounts with the same path, the one of higher priority hides the
                         other; at equal priority the later one does */
  uint32_t fold_case; /* for a folder or a zip; 1: A-Z are the same as a-z in its paths. A pack has
                         this setting in its file. */
  const char* const* deletions; /* paths, relative to `at`, that this mount hides in lower mounts;
                                   with '/' at the end: all below that folder. Copied. */
  size_t deletion_count;
  const skl_file_io* io; /* what opens the files; NULL: the system. Copied. Pack sets, packs and
                            zips can be mounted by it, and no folders of loose files. */
  /* For a folder of loose files, in development: what is added, changed and removed is noticed
     within 100 ms (where thousands of files change at once, as soon as they have been looked at),
     without mounting again, and told. Linux and Windows; not what other machines change on a shared
     disk. NULL: not wanted. Mounts of other kinds don't change. */
  skl_change_function on_change;
  void* change_user;
} skl_mount_options;

/* Mounts what lies at `path`: a pack set (its folder, or its catalog.skl), a single pack, a zip, or
 * a folder of loose files (any that holds no catalog.skl). `options` and `mount` may be NULL.
 *
 * Finding takes as long with many mounts as with two. Two paths are the same if the rule of case of
 * either mount says so for the path that is asked for. A file ".skl-deleted" at the root of a mount
 * holds further deletions, one path a line. A mount's own files are shown even if it deletes them.
 *
 * Pack set, pack: reads the tables of a set's catalog, or of a single pack. A set's packs are
 * opened when they are first needed. The names in them are read only if another mount deletes
 * folders, or if this mount isn't at the root, or hashes paths in another way than the largest
 * mount does.
 *
 * Folder: lists all files below it now, and holds none open. Links count as what they lead to, also
 * outside; those that lead nowhere or to a folder they lie in, pipes and devices are left out. A
 * name that no asset may have (a backslash, not UTF-8) is an error. If a file's size, time or
 * identity changes later, reading it answers STALE; mount it again, or set options.on_change.
 *
 * Zip: reads its directory, zip64 included, also in front of the entries as in Firefox's archives.
 * Stored entries are read as they are; deflated ones need the context's `inflate`, and reading a
 * part decodes the whole entry. Reading an entry that is encrypted or of another method answers
 * UNSUPPORTED. Of equal paths the last one counts. Names that aren't UTF-8 are read as unzip does:
 * by the Unicode path field, or as code page 437; of entries made on Windows, a backslash is a '/'.
 * Left out, so that skl_find doesn't find them, are links, entries that no path leads to ("../a",
 * "/a", "c:a"), and files in which others lie as in a folder ("a" beside "a/b"). A packer of the
 * same zip finds the same paths, and counts what is left out.
 *
 * Errors: NOT_FOUND, INVALID (options, or 4096 mounts), DAMAGED, UNSUPPORTED, IO. */
SKL_API skl_result skl_mount(skl_context* context, const char* path,
                             const skl_mount_options* options, skl_mount_id* mount,
                             skl_error* error);

/* Mounts a single pack or a zip that is open already: in memory, in a part of another file, or read
 * by a function. `name` is what errors call it. `file` is copied; its `close` is called once, when
 * nothing uses it any more, which may be after skl_unmount and skl_context_destroy; or before this
 * returns, if it fails. Errors: as skl_mount; INVALID (the file's members, or options.io is set).
 */
SKL_API skl_result skl_mount_file(skl_context* context, const char* name, const skl_file* file,
                                  const skl_mount_options* options, skl_mount_id* mount,
                                  skl_error* error);

/* Takes a mount away: what it hid can be found again, and its assets become STALE. Doesn't wait:
 * reads, leases, sweeps and requests that use it go on, and the last of them to end closes its
 * files. (A recorder first names what was read of it.) Errors: STALE (unmounted already), INVALID
 * (never mounted). After OUT_OF_MEMORY, DAMAGED and IO it is still mounted; the last two come when
 * the names of the remaining mounts have to be read. */
SKL_API skl_result skl_unmount(skl_context* context, skl_mount_id mount, skl_error* error);

/* OK: what changes in the mount's folder is noticed (options.on_change). Else why it isn't any
 * more: IO (os_error says which of the system's limits was met, or that there was no thread),
 * OUT_OF_MEMORY, NOT_FOUND (the folder is gone), UNSUPPORTED (on this system); INVALID: it was
 * never asked for. */
SKL_API skl_result skl_mount_watched(skl_context* context, skl_mount_id mount, skl_error* error);

/* Calls `visit` for every path that skl_find finds, until it returns other than 0: the lowest mount
 * first, and within a mount in the order of its file. Opens all packs and reads their names. What
 * is mounted or unmounted meanwhile doesn't change the list; `visit` may call any function.
 * Errors: DAMAGED, IO. */
SKL_API skl_result skl_list(skl_context* context,
                            int (*visit)(void* user, const char* path, skl_asset asset,
                                         uint64_t size_bytes),
                            void* user, skl_error* error);

/* Calls `visit` for every asset that a sweep of `scenario` hands out, in that order, until it
 * returns other than 0. `scenario` as for skl_sweep_open. Opens the packs that it needs and reads
 * their names; `visit` may call any function. Errors: NOT_FOUND, DAMAGED, IO. */
SKL_API skl_result skl_list_scenario(skl_context* context, const char* scenario,
                                     int (*visit)(void* user, const char* path, skl_asset asset,
                                                  uint64_t size_bytes),
                                     void* user, skl_error* error);

/* ---- directory: what is there, in order ----------------------------------------------------- */

/* All paths that skl_find found when it was made, sorted by their bytes. It doesn't change, so
 * every function but skl_directory_destroy may be called from many threads at once, and takes no
 * lock. Make another one after mounting. Memory: the paths, and 32 bytes for each. */
typedef struct skl_directory skl_directory;

/* A file, or (asset is 0) a folder. */
typedef struct skl_entry {
  const char*
      path; /* the whole path, without an end: see length_bytes. In the directory's memory */
  size_t length_bytes;
  skl_asset asset;
  uint64_t size_bytes;
} skl_entry;

/* Opens all packs and reads their names. Errors: DAMAGED, IO, OUT_OF_MEMORY. */
SKL_API skl_result skl_directory_create(skl_context* context, skl_directory** out,
                                        skl_error* error);
/* The files whose paths begin with `prefix` ("" or NULL: all), page by page: `cursor` is 0 at
 * first, and each call moves it past what it gives. `count` gets how many, up to `capacity`.
 * Answers: OK; END (there are no more; count is 0). Errors: INVALID (a parameter is NULL). */
SKL_API skl_result skl_directory_list(const skl_directory* directory, const char* prefix,
                                      uint64_t* cursor, skl_entry* out, size_t capacity,
                                      size_t* count);
/* What lies in a folder itself, such as "maps" ("" or NULL: the root): its files, and each folder
 * in it once, among them as if its name ended with '/'. Else as skl_directory_list; also END if
 * there is no such folder. */
SKL_API skl_result skl_directory_children(const skl_directory* directory, const char* folder,
                                          uint64_t* cursor, skl_entry* out, size_t capacity,
                                          size_t* count);
/* NULL is allowed. */
SKL_API void skl_directory_destroy(skl_directory* directory);

/* ---- assets --------------------------------------------------------------------------------- */

typedef struct skl_hash {
  uint8_t bytes[16]; /* XXH3-128, canonical: as xxh128sum prints it */
} skl_hash;

/* Finds a path in all mounts. No lock, no allocation, no I/O; a miss is as cheap as a hit.
 * `size_bytes` may be NULL. Errors: NOT_FOUND, INVALID. */
SKL_API skl_result skl_find(skl_context* context, const char* path, skl_asset* asset,
                            uint64_t* size_bytes);

/* As skl_find, of a path that needs no zero byte at its end. */
SKL_API skl_result skl_find_bytes(skl_context* context, const char* path, size_t length_bytes,
                                  skl_asset* asset, uint64_t* size_bytes);

/* A path that was hashed before, so that finding it is a look-up alone. What the members are is the
 * library's business. It may be kept in a file: it is the same for all versions of the library. */
typedef struct skl_path_hash {
  uint64_t seed; /* of the largest pack set or pack that is mounted at the root; without any, 0 */
  uint64_t exact;
  uint64_t folded;
} skl_path_hash;

/* `path` needs no zero byte at its end, and needn't be there. No lock, no allocation, no I/O.
 * Errors: INVALID. */
SKL_API skl_result skl_hash_path(skl_context* context, const char* path, size_t length_bytes,
                                 skl_path_hash* hash);
/* As skl_find, and with the same answer. Errors: NOT_FOUND; INVALID (a parameter is NULL); STALE:
 * mounting has changed the seed since, so hash the path again.
 *
 * By both ways, a path is compared by 64 bits of its XXH3-64 alone. Of the paths in one pack set no
 * two have the same hash (the packer takes another seed if they had), so an asset is never found
 * for another's path of its set. A path that isn't there, or one of another mount, may meet an
 * asset's hash: by chance, once in 2^64 / (assets that are mounted). Compare with skl_asset_path
 * where paths come from someone who could look for such a pair. */
SKL_API skl_result skl_find_hashed(skl_context* context, const skl_path_hash* hash,
                                   skl_asset* asset, uint64_t* size_bytes);

#define SKL_ASSET_PACKED 1U     /* it lies in a pack */
#define SKL_ASSET_LOOSE 2U      /* it is a file of a folder */
#define SKL_ASSET_ZIPPED 4U     /* it is an entry of a zip */
#define SKL_ASSET_DEFLATED 8U   /* reading any part decodes all of it */
#define SKL_ASSET_ENCRYPTED 16U /* it can't be read */

/* What is known of an asset without reading anything. */
typedef struct skl_asset_info {
  uint32_t struct_bytes;
  uint32_t flags; /* of the SKL_ASSET_s above */
  uint64_t size_bytes;
  int64_t modified_ns; /* of a loose file, since 1970; 0: not known */
  skl_mount_id mount;
} skl_asset_info;

/* No lock, no allocation, no I/O. Errors: INVALID, STALE. */
SKL_API skl_result skl_asset_about(skl_context* context, skl_asset asset, skl_asset_info* info);

/* The asset's path in the name space: the folder that its mount is at, then the path as it was
 * packed. `length_bytes` (may be NULL) gets its length without the zero byte; INVALID if
 * `capacity_bytes` is less than that plus one. Reads a table on first use. */
SKL_API skl_result skl_asset_path(skl_context* context, skl_asset asset, char* path,
                                  size_t capacity_bytes, size_t* length_bytes, skl_error* error);

/* The hash of the asset's content. A pack has it in a table, which is read on first use; for a
 * loose file or an entry of a zip it is worked out from all its bytes. */
SKL_API skl_result skl_asset_hash(skl_context* context, skl_asset asset, skl_hash* hash,
                                  skl_error* error);

/* Reads `length_bytes` at `offset_bytes` of the asset, or less if the asset ends before, into
 * `destination`; `read_bytes` (may be NULL) gets the count. An offset past the end is INVALID.
 * A read of a whole asset is checked against its hash, or its CRC in a zip; loose files have
 * neither. A read of a part isn't checked in an uncompressed pack or a stored entry. In a
 * compressed pack every block is checked; it is decoded within the memory budget (two blocks more
 * are allocated if it is full), and the latest few are kept. Errors: INVALID, STALE, DAMAGED (the
 * destination then holds the damaged bytes; also if a file has shrunk), UNSUPPORTED, IO. */
SKL_API skl_result skl_read(skl_context* context, skl_asset asset, uint64_t offset_bytes,
                            void* destination, size_t length_bytes, size_t* read_bytes,
                            skl_error* error);

/* ---- sweep: a scenario's assets in the order they lie on the disk ---------------------------- */

typedef struct skl_sweep skl_sweep;

/* A read-only view of an asset, or of a part of one that is larger than a block. Parts of an asset
 * come in order; between them come only parts of assets with the same bytes, and assets that
 * were asked for by skl_sweep_want. Valid until it is released, which any thread may do.
 */
typedef struct skl_lease {
  skl_asset asset;
  uint64_t asset_bytes;  /* size of the whole asset */
  uint64_t offset_bytes; /* where in the asset this part begins */
  const void* data;      /* aligned as the asset was packed, up to 4096 */
  size_t size_bytes;     /* of this part */
  void* block;           /* for the library's own use */
} skl_lease;

/* Says which scenario is being loaded. Of copies of an asset, the one is read then that lies near
 * to what else the scenario needs; without a word, the one for all. Opening a sweep says the same
 * for its set. It concerns the sets that are mounted now, and lasts until the next word. Sets
 * without the scenario take "typical" of its folder ("map/typical" for "map/rush"); NULL means
 * none. From any thread. Errors: NOT_FOUND (no mounted set has either; none is being loaded then).
 */
SKL_API skl_result skl_context_set_scenario(skl_context* context, const char* scenario,
                                            skl_error* error);

/* Opens a sweep, and the files of the packs it needs: it comes to each pack once, tables included.
 * `scenario` names one of a mounted pack set (the latest mount that has it). Where none has
 * "map/rush", "map/typical" is swept (read the rest as it is asked for). NULL: a single pack, all.
 * Close it with skl_sweep_close. Errors: NOT_FOUND (no mount has either), INVALID (the memory
 * budget is less than one block, or two of a compressed pack), DAMAGED, UNSUPPORTED, IO. */
SKL_API skl_result skl_sweep_open(skl_context* context, const char* scenario, skl_sweep** out,
                                  skl_error* error);
/* Hands out the next asset of the scenario, from the sweep's own mount: also one that a later mount
 * hides (compare with what skl_find gives). Never waits for the disk; blocks are read ahead, up to
 * three quarters of the memory budget. One thread at a time; the others wait. Every block is
 * checked before any of it is handed out, and read once more if it is wrong. After DAMAGED or IO,
 * whose message names the assets concerned, the sweep can go on: what was in that block, or pack,
 * is left out; the next call continues after it. After OUT_OF_MEMORY, and IO for want of a thread,
 * nothing is left out: the next call tries again. Answers: OK, END, WOULD_BLOCK (not read yet, or
 * leases and other sweeps use up the memory budget). Errors: DAMAGED, IO, OUT_OF_MEMORY, CANCELLED
 * (the context is gone). */
SKL_API skl_result skl_sweep_next(skl_sweep* sweep, skl_lease* lease, skl_error* error);
/* As skl_sweep_next, but sleeps for up to `timeout_ms` (UINT32_MAX: without end) before it answers
 * WOULD_BLOCK, until the disk has read or other threads have given memory back. */
SKL_API skl_result skl_sweep_wait(skl_sweep* sweep, uint32_t timeout_ms, skl_lease* lease,
                                  skl_error* error);
/* "I need this asset now": its block is read next, if bypasses_per_second allows the seek. The
 * asset is handed out as soon as it is read, even between the parts of another asset; not again
 * later. Assets with the same bytes come with it. Any thread. NOT_FOUND: not in this sweep; END:
 * all or a first part of it has been handed out already. */
SKL_API skl_result skl_sweep_want(skl_sweep* sweep, skl_asset asset, skl_error* error);

typedef struct skl_progress {
  uint32_t struct_bytes;
  uint64_t read_bytes;  /* of the file, so far */
  uint64_t total_bytes; /* that the sweep will read; skl_sweep_want adds to it */
  uint64_t reads;       /* blocks so far */
  uint64_t jumps;       /* so far: over a gap, or to another file */
} skl_progress;

/* Any thread, at any time. total_bytes is about right until the sweep has come to its last pack. */
SKL_API void skl_sweep_progress(const skl_sweep* sweep, skl_progress* progress);
/* Waits for a read that is under way. Leases stay valid after it. NULL is allowed. */
SKL_API void skl_sweep_close(skl_sweep* sweep);

/* ---- leases: parts of blocks, from sweeps and queues ----------------------------------------- */

/* Adds a holder to the lease; each holder must release it. Any thread. */
SKL_API void skl_lease_retain(const skl_lease* lease);
SKL_API void skl_lease_release(const skl_lease* lease);
/* Copies the part. INVALID if `capacity_bytes` is less than its size; then nothing is copied. */
SKL_API skl_result skl_lease_copy(const skl_lease* lease, void* destination, size_t capacity_bytes);
/* For what is kept for long: the lease's block no longer counts in the memory budget. All of the
 * block stays in memory until the last lease on it is released. */
SKL_API skl_result skl_lease_claim(const skl_lease* lease, skl_error* error);

/* ---- queue: requests in the background ------------------------------------------------------- */

/* All requests of a context for one device are put into the disk's order, whichever queue they are
 * in. Every function but skl_queue_destroy may be called from any thread at any time. */
typedef struct skl_queue skl_queue;

typedef struct skl_completion skl_completion;

/* Takes a completion; its lease is then the function's to release. `completion` is valid during the
 * call. Be quick: reading waits meanwhile. It is called on the reader's own threads and on those
 * that call the library (submit and cancel too, before they return), several at once. It may find
 * and read, submit, cancel and reschedule, and release leases; it may not make, destroy or wait. */
typedef void (*skl_completion_function)(void* user, const skl_completion* completion);

typedef struct skl_queue_options {
  uint32_t struct_bytes;
  uint32_t capacity; /* requests from submit to poll, 1..65536; 0: 1024. Memory is taken when the
                        queue is made: some 500 bytes for each. */
  /* Called once for each request that was accepted, cancelled ones included, in place of handing
     its completion out: poll and wait then give none. When skl_queue_destroy or skl_context_destroy
     returns, it has been called for all of them. NULL: completions are polled for. */
  skl_completion_function on_completion;
  void* completion_user;
} skl_queue_options;

/* There are four groups: 100 and more, 0..99, -99..-1, -100 and less. Requests of higher groups go
 * first; within a group, the place on the disk decides. No request waits for ever, on any medium:
 * while others wait, urgent requests and those whose deadline is near take at most three quarters
 * of the reading. Streams are served at least once in some two seconds and prefetches in some
 * twelve, plus at most the time that one round over all that waits takes with the remaining
 * quarter. */
#define SKL_PRIORITY_PREFETCH (-100)
#define SKL_PRIORITY_STREAM (-50) /* music, far textures */
#define SKL_PRIORITY_NORMAL 0
#define SKL_PRIORITY_URGENT 100 /* next, whatever it costs (within bypasses_per_second) */

typedef struct skl_request {
  uint32_t struct_bytes; /* sizeof(skl_request), the same in all of one call */
  skl_asset asset;
  uint64_t offset_bytes;
  uint64_t length_bytes; /* cut at the asset's end; SKL_TO_THE_END: all from the offset on */
  void* destination;     /* written into until the completion is handed out; destinations may
                            overlap, and then hold a mixture. NULL: the completion brings a lease,
                            of at most a block's length (2 MiB in a folder or a zip) */
  int32_t priority;
  uint32_t deadline_us; /* from submission; 0: none. A request becomes urgent shortly before it. If
                           the deadline is missed, the request is answered all the same */
  uint64_t tag;         /* for cancelling */
  void* user;
  skl_error* error; /* filled before the completion is handed out; NULL: not wanted */
  /* A power of two that `destination` is a multiple of, as the memory for an upload has to be; 0:
     not stated. What isn't so is INVALID, before anything is read. Stated 4096 or more, whole pages
     may be read past the system's cache (PORTS). Uncompressed assets are read straight into the
     destination, without a copy in the library: see skl_stats.copied_bytes. */
  uint32_t destination_alignment_bytes;
} skl_request;

struct skl_completion {
  uint32_t struct_bytes; /* the same in all of one call */
  skl_result result;
  uint32_t missed_deadline; /* 1: it took longer than deadline_us */
  skl_asset asset;
  uint64_t offset_bytes;
  uint64_t read_bytes; /* 0 unless OK */
  uint64_t tag;
  void* user;
  skl_lease lease;     /* to be released; block is NULL if there is none */
  uint64_t latency_us; /* from submission until the bytes were there and checked */
};

/* Destroy it with skl_queue_destroy. Errors: INVALID, OUT_OF_MEMORY. */
SKL_API skl_result skl_queue_create(skl_context* context, const skl_queue_options* options,
                                    skl_queue** out, skl_error* error);
/* Takes requests from the front of `requests`, which the caller may free afterwards; `accepted`
 * (may be NULL) gets how many. WOULD_BLOCK: the queue is full, poll first; requests after the
 * accepted ones aren't taken. Never waits for room or for the disk; only the first request to a
 * pack or a folder's file may open it, which reads its tables. An error of a single request comes
 * as its completion: STALE, INVALID (not an asset; an offset past its end; a lease of more than a
 * block), NOT_FOUND, IO, DAMAGED. A request of no bytes completes without reading. A whole asset is
 * checked against its hash, a part by every block that lies in it; bytes that are wrong are read
 * once more. Requests without a destination wait until the memory budget has room; every call of
 * submit, poll and wait tries them again. Errors: INVALID (struct_bytes of a request; those before
 * it are accepted), OUT_OF_MEMORY, CANCELLED (the context is gone). */
SKL_API skl_result skl_queue_submit(skl_queue* queue, const skl_request* requests, size_t count,
                                    size_t* accepted, skl_error* error);
/* Hands out up to `capacity` completions, in the order they were completed; `count`: how many.
 * OK; END: nothing is outstanding, and none was handed out. INVALID: a parameter is NULL, or
 * struct_bytes of the first completion can't be the size of one. */
SKL_API skl_result skl_queue_poll(skl_queue* queue, skl_completion* out, size_t capacity,
                                  size_t* count);
/* As poll, but waits up to `timeout_ms` (UINT32_MAX: without end) for at least one, while the disk
 * reads or other threads give memory back. WOULD_BLOCK: none came in that time. */
SKL_API skl_result skl_queue_wait(skl_queue* queue, uint32_t timeout_ms, skl_completion* out,
                                  size_t capacity, size_t* count);
/* Takes back the requests with (request.tag & mask) == (tag & mask) that aren't done. They complete
 * as CANCELLED; if one is being read, after that read. This call doesn't wait, and others needn't
 * wait for it while it looks through the queue. Returns how many. */
SKL_API size_t skl_queue_cancel(skl_queue* queue, uint64_t tag, uint64_t mask);
/* Gives the requests with (request.tag & mask) == (tag & mask) that aren't done another priority,
 * and another deadline: `deadline_us` from this call; 0: none. What is being read already isn't
 * read any faster. Doesn't wait. Returns how many were changed: without those that there was no
 * memory for, which stay as they were. */
SKL_API size_t skl_queue_reschedule(skl_queue* queue, uint64_t tag, uint64_t mask, int32_t priority,
                                    uint32_t deadline_us);
/* A handle to wait for together with others (poll, epoll, kqueue; WaitForMultipleObjects):
 * readable, or signalled, while it is worth calling skl_queue_poll, until that call. On Linux an
 * eventfd, on Windows an event, elsewhere a pipe. The queue owns it and closes it at its end; don't
 * read it. The same each time. Errors: INVALID, IO (no more descriptors: the queue works on, and
 * the next call tries again), OUT_OF_MEMORY. */
SKL_API skl_result skl_queue_event(skl_queue* queue, intptr_t* handle, skl_error* error);
/* Cancels all, and waits until nothing writes into destinations any more. Completions that weren't
 * polled are dropped, and their leases released. NULL is allowed. */
SKL_API void skl_queue_destroy(skl_queue* queue);

/* ---- streams: music and video, read ahead --------------------------------------------------- */

/* A position in an asset, or in a part of it, whose bytes are used up from front to back. They are
 * read ahead into memory of the stream's own, by requests with deadlines: each part shall be there
 * after half of the time until it is wanted. So it comes in time while sweeps and urgent requests
 * go on, as far as the disk can do all of it. One thread at a time uses a stream; others wait. */
typedef struct skl_stream skl_stream;

typedef struct skl_stream_options {
  uint32_t struct_bytes;
  uint32_t bytes_per_second; /* how fast it is used up; 0: as it turns out, and half a second for
                                each part in the first second */
  uint64_t offset_bytes;     /* where in the asset it begins */
  uint64_t length_bytes;     /* 0: to the asset's end */
  uint64_t ahead_bytes; /* memory to read ahead into, taken when it is opened, and not of the memory
                           budget; 64 KiB to 1 GiB; 0: 1 MiB */
} skl_stream_options;

/* Finds the asset's place and begins to read, in the background. `options` may be NULL. Close it
 * with skl_stream_close. Errors: INVALID, STALE, OUT_OF_MEMORY, and those of opening a pack. */
SKL_API skl_result skl_stream_open(skl_context* context, skl_asset asset,
                                   const skl_stream_options* options, skl_stream** out,
                                   skl_error* error);
/* Copies what is there from the position on, up to `length_bytes`, and moves the position;
 * `read_bytes` (may be NULL) gets how many. Never waits for the disk. Parts are checked as those of
 * requests are. Answers: OK, END, WOULD_BLOCK (nothing is there yet). Errors: DAMAGED, IO,
 * UNSUPPORTED, OUT_OF_MEMORY (the next call tries the same part again); STALE, CANCELLED (the mount
 * or the context is gone; what has been read ahead comes first). */
SKL_API skl_result skl_stream_read(skl_stream* stream, void* destination, size_t length_bytes,
                                   size_t* read_bytes, skl_error* error);
/* As skl_stream_read, but waits up to `timeout_ms` (UINT32_MAX: without end) until `length_bytes`
 * have come, or the end, or an error. OK may mean fewer when the time is up. */
SKL_API skl_result skl_stream_wait(skl_stream* stream, uint32_t timeout_ms, void* destination,
                                   size_t length_bytes, size_t* read_bytes, skl_error* error);
/* Moves to `position_bytes` of the stream. What has been read ahead there is kept. INVALID: it is
 * past the end. */
SKL_API skl_result skl_stream_seek(skl_stream* stream, uint64_t position_bytes);

typedef struct skl_stream_info {
  uint32_t struct_bytes;
  uint32_t stalls; /* how often a read got less than it asked for, as the rest wasn't there yet;
                      waiting for the first bytes, and after a seek, doesn't count */
  uint64_t size_bytes;
  uint64_t position_bytes;
  uint64_t ahead_bytes; /* there, from the position on */
  uint64_t stalled_us;  /* from such a read to one that got something */
  uint64_t longest_stall_us;
} skl_stream_info;

SKL_API void skl_stream_about(const skl_stream* stream, skl_stream_info* info);
/* Waits for a read that is under way. NULL is allowed. */
SKL_API void skl_stream_close(skl_stream* stream);

/* ---- pump: reading without threads of the library -------------------------------------------- */

/* For a context of SKL_BACKEND_PUMP: reads, checks, decodes and hands out on this thread what
 * queues, sweeps, streams and prefetches have asked for, and looks at watched folders. Returns when
 * nothing more can be done now, or `budget_us` have passed; it does at least one step. Where the
 * system reads by itself (io_uring) it never waits for the disk; elsewhere one read (2 MiB at most;
 * all of an asset that is decoded whole) may exceed the budget. skl_queue_wait, skl_sweep_wait and
 * skl_stream_wait do the same while they wait, and so does whatever ends something that is being
 * read. Answers: OK (something is still outstanding), END (nothing is), WOULD_BLOCK (another thread
 * is at it). Errors: INVALID (the context has threads). */
SKL_API skl_result skl_pump(skl_context* context, uint64_t budget_us);

/* ---- prefetch -------------------------------------------------------------------------------- */

/* Reads what `scenario` needs into the system's cache, in the background and after everything
 * else. Uses none of the memory budget. Opens the packs that the scenario needs. `ticket` may be
 * NULL. Errors: as skl_sweep_open. */
SKL_API skl_result skl_prefetch(skl_context* context, const char* scenario, uint64_t* ticket,
                                skl_error* error);
/* NOT_FOUND: there is no such prefetch, or it has ended. */
SKL_API skl_result skl_prefetch_cancel(skl_context* context, uint64_t ticket);

/* ---- stats ----------------------------------------------------------------------------------- */

/* Counts of queues, sweeps and prefetches since the context was made or skl_stats_reset was called.
 * From budget_bytes on, members tell the present state, except peak_used_bytes and wait_us. */
typedef struct skl_stats {
  uint32_t struct_bytes;
  uint64_t read_bytes;
  uint64_t reads;
  uint64_t seeks;              /* reads that didn't begin where the one before ended */
  uint64_t sequential_bytes;   /* of the other reads */
  uint64_t coalesced_requests; /* served by another request's read */
  uint64_t gap_bytes;          /* between such requests, read with them and not used */
  uint64_t cache_hits;         /* reads that came too fast for a disk */
  uint64_t requests;           /* of queues, taken */
  uint64_t cancelled;
  uint64_t missed_deadlines;
  uint64_t bypasses;     /* reads out of turn */
  uint64_t would_blocks; /* answers WOULD_BLOCK, of any function */
  uint64_t retried_blocks;
  uint64_t damaged_blocks;
  uint64_t io_errors;
  uint64_t canaries;
  uint64_t budget_bytes;
  uint64_t used_bytes;      /* of the budget, by blocks held and kept for the next use */
  uint64_t leased_bytes;    /* in leases that aren't released */
  uint64_t peak_used_bytes; /* since the reset, too */
  uint64_t wait_us;         /* spent in skl_sweep_wait and skl_queue_wait */
  /* Of the device that queues, sweeps and prefetches have read most from since the context was
     made. */
  uint32_t devices; /* how many there are */
  skl_media media;  /* as it is read now; DETECT: nothing has been read */
  skl_media_source media_source;
  skl_media system_media;  /* what the system says of it; DETECT: nothing, or it wasn't asked */
  uint32_t media_changes;  /* how often the time of reads has changed `media` */
  uint32_t fast_jumps;     /* of the latest 32 timed jumps, those below 2 ms; 29: solid */
  uint32_t slow_jumps;     /* of the same, those of 4 ms or more; 12: rotational */
  uint64_t jumps_timed;    /* far jumps that waited for the device */
  uint64_t median_jump_us; /* of the latest 32 timed jumps */
  /* Since the reset: copied by the library into callers' memory, out of blocks that it had to
     decode. All else is read or decoded there. */
  uint64_t copied_bytes;
} skl_stats;

SKL_API void skl_stats_get(skl_context* context, skl_stats* stats);
SKL_API void skl_stats_reset(skl_context* context);
/* Shows what holds memory: calls `visit` for each asset with leases that aren't released, with
 * their bytes and how long the oldest has been held. `visit` may call the library. If there is no
 * memory for the list, it isn't called. */
SKL_API void skl_stats_pins(skl_context* context,
                            void (*visit)(void* user, skl_asset asset, uint64_t bytes,
                                          uint64_t held_ms),
                            void* user);

/* ---- recorder: the running game writes a trace ------------------------------------------------
 */

typedef struct skl_recorder_options {
  uint32_t struct_bytes;
  uint64_t ring_bytes;  /* of the buffer between the game's threads and the one that writes, 64 an
                           event; what doesn't fit counts as lost. 0: 1 MiB; at most 1 GiB */
  const char* scenario; /* what is being loaded, until the first mark; NULL: none */
} skl_recorder_options;

/* Writes to the file `path` what this context finds, reads and hands out from now on, as a trace
 * that `seekless profile`, `plan` and `analyze` read. Assets are named as they were packed, without
 * the folder they are mounted at. Paths that aren't found aren't recorded. Recording takes no lock,
 * and makes a read about 0.1 us longer; a thread of its own writes. `options` may be NULL. Errors:
 * INVALID (a recording is under way), IO, NOT_FOUND (no such folder). */
SKL_API skl_result skl_recorder_start(skl_context* context, const char* path,
                                      const skl_recorder_options* options, skl_error* error);
typedef struct skl_upload_options {
  uint32_t struct_bytes;
  uint32_t day;         /* counted from 1970-01-01; 0: today's, in UTC */
  uint64_t most_bytes;  /* of the file, such as what a day allows; 0: 64 KiB; at most 16 MiB */
  uint64_t ring_bytes;  /* as above */
  const char* scenario; /* as above */
  uint8_t client[16];   /* random bytes that an installation makes once; not all 0 */
} skl_upload_options;

/* Writes to the file `path`, for a fleet (schemas/fleet-upload.md), which assets of the pack set
 * `mount` the scenarios read from now on, in the order they are first read: one to two bytes an
 * asset, and three where it lies 8,192 assets or more from the one before. Only while a scenario of
 * the set is marked. There is no path, no name and no time of day in it, and nothing that isn't
 * said here. The library sends nothing; that, and asking the player, is the game's. Blocks are
 * written when they are full, and where scenarios end: a killed game loses 4 KiB at most.
 * skl_recorder_mark and skl_recorder_stop are for it, too. Errors: INVALID (a recording is under
 * way, not a pack set with scenarios, no client), STALE (unmounted), IO, NOT_FOUND (no such
 * folder). */
SKL_API skl_result skl_recorder_start_uploads(skl_context* context, skl_mount_id mount,
                                              const char* path, const skl_upload_options* options,
                                              skl_error* error);
/* Call it where a scenario begins, such as "map/lakeville", and with NULL where it ends. Errors:
 * INVALID (nothing is being recorded, or the name isn't UTF-8 without control characters). */
SKL_API skl_result skl_recorder_mark(skl_context* context, const char* scenario);
/* Writes what is left and ends the file. `lost_events` (may be NULL) gets how many events didn't
 * fit into the ring, or couldn't be named or written. Errors: INVALID (nothing is being recorded),
 * IO (the first failure of writing; what came before it is in the file). Destroying the context
 * also ends a recording. */
SKL_API skl_result skl_recorder_stop(skl_context* context, uint64_t* lost_events, skl_error* error);

/* ---- hashing, for those who check content themselves ----------------------------------------- */

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
