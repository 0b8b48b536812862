/* seekless: reads packs (.skl) in a game. The only public header; C99.
 *
 * Ownership   What a function returns through an `out` parameter belongs to the caller until the
 *             named function gives it back. Memory that the library returns, the library frees.
 * Threads     Every function may be called from any thread, unless it says otherwise. A handle may
 *             not be used while or after another thread destroys it. Finding and reading take no
 *             lock.
 * Failure     Functions return a skl_result: 0 or more is an answer, less is an error. The optional
 *             last parameter takes a record of the error; NULL if it isn't wanted.
 * Strings     UTF-8, ended by a zero byte.
 */
#ifndef SEEKLESS_H
#define SEEKLESS_H

#include <stddef.h>
#include <stdint.h>

#if defined(SKL_BUILD_SHARED) && defined(_WIN32)
#define SKL_API __declspec(dllexport)
#elif defined(__GNUC__)
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
  SKL_WOULD_BLOCK = 2, /* leases and other sweeps use up the memory budget; release some, then call
                          again */

  SKL_NOT_FOUND = -1,   /* no such path, scenario or file */
  SKL_INVALID = -2,     /* a parameter is out of its range */
  SKL_DAMAGED = -3,     /* bytes aren't what their checksum says, or a table is wrong */
  SKL_UNSUPPORTED = -4, /* made by a newer version of the format */
  SKL_IO = -5,          /* the operating system failed; see os_error */
  SKL_OUT_OF_MEMORY = -6,
  SKL_CANCELLED = -7, /* a request that was taken back */
  SKL_STALE = -8      /* the asset's mount is gone, or its loose file isn't what was mounted */
} skl_result;

/* Structs that the caller makes start with struct_bytes, their size; set it before the call. A
 * caller that was compiled with an older header has shorter ones, and what they lack counts as 0.
 */

/* What went wrong. */
typedef struct skl_error {
  uint32_t struct_bytes;
  skl_result result;
  int32_t os_error;      /* errno or GetLastError(); 0 if none */
  uint64_t offset_bytes; /* in the file named by `message`; UINT64_MAX if it has no place */
  char message[512];     /* one line: file, place, expected, found, what to do */
} skl_error;

/* A short name for a result, such as "damaged"; static. */
SKL_API const char* skl_result_name(skl_result result);
/* "0.1.0"; static. */
SKL_API const char* skl_version(void);

/* Names an asset in one context until it is unmounted. 0 is never one. */
typedef uint64_t skl_asset;

/* ---- context: everything hangs off one; there are no process globals ----------------------- */

typedef struct skl_context skl_context;

/* Memory for blocks, tables and queues. Called from any thread, several at once, also while reading
 * and unmounting; the functions may not call back into the library. Both NULL: the C library's. */
typedef struct skl_allocator {
  /* The alignment is a power of two up to 2 MiB. NULL: no memory; then the call that needed it
   * fails with OUT_OF_MEMORY. */
  void* (*allocate)(void* user, size_t size_bytes, size_t alignment_bytes);
  void (*release)(void* user, void* memory, size_t size_bytes); /* with the size asked for */
  void* user;
} skl_allocator;

typedef enum skl_canary_kind {
  SKL_CANARY_SLOW_READ = 1,
  SKL_CANARY_BACKWARD_SEEK,
  SKL_CANARY_SMALL_READS,
  SKL_CANARY_OUTSIDE_SWEEP,
  SKL_CANARY_MISSED_DEADLINE,
  SKL_CANARY_RETRIED_BLOCK
} skl_canary_kind;

typedef struct skl_canary {
  uint32_t struct_bytes;
  skl_canary_kind kind;
  skl_asset asset; /* 0: none */
  uint64_t offset_bytes;
  uint64_t duration_us;
  uint64_t count;
  char message[256];
} skl_canary;
typedef void (*skl_canary_function)(void* user, const skl_canary* canary);

typedef enum skl_media { SKL_MEDIA_DETECT = 0, SKL_MEDIA_ROTATIONAL, SKL_MEDIA_SOLID } skl_media;

typedef enum skl_backend {
  SKL_BACKEND_DETECT = 0,
  SKL_BACKEND_THREADS,
  SKL_BACKEND_URING
} skl_backend;

/* Decodes raw deflate (RFC 1951): all of `source` into exactly destination_bytes. Anything but
 * SKL_OK counts as damage. Called from any thread, several at once. */
typedef skl_result (*skl_inflate_function)(void* user, const void* source, size_t source_bytes,
                                           void* destination, size_t destination_bytes);

typedef struct skl_context_options {
  uint32_t struct_bytes;        /* sizeof(skl_context_options) */
  uint64_t memory_budget_bytes; /* for all blocks in flight; 0 means 16 MiB. Tables don't count. */
  const skl_allocator* allocator; /* copied; NULL: the C library's */
  skl_media media;
  skl_backend backend;
  uint32_t threads;
  uint32_t bypasses_per_second;
  uint32_t slow_read_ms;
  skl_canary_function on_canary;
  void* canary_user;
  skl_inflate_function inflate; /* for deflated entries of zips; NULL: they are UNSUPPORTED */
  void* inflate_user;
} skl_context_options;

/* `options` may be NULL. Destroy it with skl_context_destroy. */
SKL_API skl_result skl_context_create(const skl_context_options* options, skl_context** out,
                                      skl_error* error);
/* Sweeps must be closed and leases released before. NULL is allowed. */
SKL_API void skl_context_destroy(skl_context* context);

/* ---- mounts --------------------------------------------------------------------------------- */

typedef uint32_t skl_mount_id; /* 0 is never one */

typedef struct skl_mount_options {
  uint32_t struct_bytes;
  const char* at;
  int32_t priority;
  uint32_t fold_case;
  const char* const* deletions;
  size_t deletion_count;
} skl_mount_options;

/* Mounts a pack set (its folder, or its catalog.skl) or a single pack. A path in a later mount
 * hides the same path in earlier ones. Mounts last until the context is destroyed. Reads the tables
 * of what it opens first (a set's catalog, a single pack's index); a set's packs are opened when
 * they are first needed. `options` and `mount` may be NULL. Errors: NOT_FOUND, DAMAGED,
 * UNSUPPORTED, IO. */
SKL_API skl_result skl_mount(skl_context* context, const char* path,
                             const skl_mount_options* options, skl_mount_id* mount,
                             skl_error* error);

/* Takes a mount away again: what it hid can be found again, and its assets become STALE. Doesn't
 * wait: reads, leases, sweeps and requests that use it go on, and whoever lets go of it last closes
 * its files. Errors: STALE (unmounted already), INVALID (never mounted), OUT_OF_MEMORY (still
 * mounted then). */
SKL_API skl_result skl_unmount(skl_context* context, skl_mount_id mount, skl_error* error);

/* Calls `visit` for every path that skl_find finds, mount by mount from the undermost and within
 * one in the order it lies in, until it returns other than 0. Opens all packs and reads their
 * names. What is mounted or unmounted meanwhile doesn't change the list; `visit` may call any
 * function. Errors: DAMAGED, IO. */
SKL_API skl_result skl_list(skl_context* context,
                            int (*visit)(void* user, const char* path, skl_asset asset,
                                         uint64_t size_bytes),
                            void* user, skl_error* error);

/* ---- assets --------------------------------------------------------------------------------- */

typedef struct skl_hash {
  uint8_t bytes[16]; /* XXH3-128, canonical: as xxh128sum prints it */
} skl_hash;

/* Finds a path. No lock, no allocation, no I/O. Errors: NOT_FOUND (nothing is written to `error`,
 * so that a miss is as cheap as a hit). `size_bytes` may be NULL. */
SKL_API skl_result skl_find(skl_context* context, const char* path, skl_asset* asset,
                            uint64_t* size_bytes);

/* The path as it was packed. `length_bytes` (may be NULL) gets its length without the zero byte;
 * INVALID if `capacity_bytes` is less than that plus one. Reads a table on first use. */
SKL_API skl_result skl_asset_path(skl_context* context, skl_asset asset, char* path,
                                  size_t capacity_bytes, size_t* length_bytes, skl_error* error);

/* The hash of the asset's content. Reads a table on first use. */
SKL_API skl_result skl_asset_hash(skl_context* context, skl_asset asset, skl_hash* hash,
                                  skl_error* error);

/* Reads `length_bytes` at `offset_bytes` of the asset, or what there is of it before its end, into
 * `destination`; `read_bytes` (may be NULL) gets the count. From an offset behind the end: INVALID.
 * A read of a whole asset is checked against its hash; a read of a part of an uncompressed pack
 * isn't checked; in a compressed pack blocks are checked and decoded whole (allocates two blocks).
 * Errors: INVALID, DAMAGED (the destination then holds the damaged bytes), IO. */
SKL_API skl_result skl_read(skl_context* context, skl_asset asset, uint64_t offset_bytes,
                            void* destination, size_t length_bytes, size_t* read_bytes,
                            skl_error* error);

/* ---- sweep: a scenario's assets in the order they lie on the disk ---------------------------- */

typedef struct skl_sweep skl_sweep;

/* A read-only view of an asset, or of a part of one that is larger than a block. Parts of an asset
 * come in order; between them come only parts of assets that are the same bytes. Valid until it is
 * released; releasing is allowed from any thread. */
typedef struct skl_lease {
  skl_asset asset;
  uint64_t asset_bytes;  /* size of the whole asset */
  uint64_t offset_bytes; /* where in the asset this part begins */
  const void* data;      /* aligned as the asset is, up to 4096 */
  size_t size_bytes;     /* of this part */
  void* block;           /* what the lease counts on; not for the caller */
} skl_lease;

/* `scenario` names one of a mounted pack set (the latest mount that has it); NULL takes all of the
 * latest mount, which must be a single pack. Close it with skl_sweep_close. Opens the packs that
 * the scenario needs. Errors: NOT_FOUND, INVALID (the memory budget is less than one block, or two
 * of a compressed pack), DAMAGED, UNSUPPORTED, IO. */
SKL_API skl_result skl_sweep_open(skl_context* context, const char* scenario, skl_sweep** out,
                                  skl_error* error);
/* The next asset that the scenario needs, as it lies in the sweep's own mount: what a later mount
 * hides is handed out, too (compare with what skl_find gives). One thread at a time. Every block is
 * checked before anything of it is handed out. After DAMAGED or IO the sweep can go on: what was in
 * that block is left out, and the next call continues behind it. Answers: OK, END, WOULD_BLOCK.
 * Errors: DAMAGED, IO. */
SKL_API skl_result skl_sweep_next(skl_sweep* sweep, skl_lease* lease, skl_error* error);

typedef struct skl_progress {
  uint64_t read_bytes;  /* of the file, so far */
  uint64_t total_bytes; /* that the sweep reads */
  uint64_t reads;       /* calls so far */
  uint64_t jumps;       /* places so far where it left a gap or changed the file */
} skl_progress;

SKL_API void skl_sweep_progress(const skl_sweep* sweep, skl_progress* progress);
/* Leases outlive their sweep. NULL is allowed. */
SKL_API void skl_sweep_close(skl_sweep* sweep);

/* Counts one more holder; each must release. */
SKL_API void skl_lease_retain(const skl_lease* lease);
SKL_API void skl_lease_release(const skl_lease* lease);

/* ---- recorder: the running game writes a trace ------------------------------------------------
 */

typedef struct skl_recorder_options {
  uint32_t struct_bytes;
  uint64_t ring_bytes;  /* 64 an event, between the game's threads and the one that writes; what
                           doesn't fit is counted as lost. 0: 1 MiB; at most 1 GiB */
  const char* scenario; /* what is being loaded, until the first mark; NULL: none */
} skl_recorder_options;

/* From now on, what this context finds, reads and hands out is written to the file `path`, as a
 * trace that `seekless profile`, `plan` and `analyze` read. Assets are named as they were packed,
 * without the folder they are mounted at. Paths that aren't found aren't recorded. Recording takes
 * no lock, and makes reading about 0.1 us longer; a thread of its own writes. `options` may be
 * NULL. Errors: INVALID (one is going on), IO, NOT_FOUND (no such folder). */
SKL_API skl_result skl_recorder_start(skl_context* context, const char* path,
                                      const skl_recorder_options* options, skl_error* error);
/* A scenario begins, such as "map/lakeville"; NULL: it ends. Errors: INVALID (nothing is being
 * recorded, or the name isn't UTF-8 without control characters). */
SKL_API skl_result skl_recorder_mark(skl_context* context, const char* scenario);
/* Writes what is left and ends the file. `lost_events` (may be NULL) gets how many events the ring
 * had no room for, or couldn't be named or written. Errors: INVALID (nothing is being recorded), IO
 * (the first failure of writing; what came before it is in the file). Destroying the context stops,
 * too. */
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
