/* seekless: reads packs (.skl) in a game. The only public header; C99.
 *
 * Ownership   What a function returns through an `out` parameter belongs to the caller until the
 *             named function gives it back. Memory that the library returns, the library frees.
 * Threads     Every function may be called from any thread, unless it says otherwise. A handle may
 *             not be used while or after another thread destroys it. Finding and reading take no
 *             lock.
 * Failure     Functions return a skl_result: 0 or more is an answer, less is an error. The optional
 *             last parameter takes a record of the error; NULL if it isn't wanted.
 * Want        Without memory, what needed it fails with OUT_OF_MEMORY: the call, or the request,
 * and nothing else; done again, it works. The library goes on with fewer threads than it asked for;
 * if the system gives none at all, what needs one fails with IO, whose os_error says why, and the
 * next that does tries anew. Functions that end something (destroy, close, release, cancel) need
 * neither. Strings     UTF-8, ended by a zero byte. Structs     All that the caller makes start
 * with struct_bytes. Set it to the struct's size before the call: `skl_error error = {sizeof
 * error};`
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
  SKL_WOULD_BLOCK = 2, /* not yet: what is asked for isn't read, a queue is full, or leases use up
                          the memory budget */

  SKL_NOT_FOUND = -1,   /* no such path, scenario or file */
  SKL_INVALID = -2,     /* a parameter is out of its range */
  SKL_DAMAGED = -3,     /* bytes aren't what their checksum says, or a table is wrong */
  SKL_UNSUPPORTED = -4, /* made by a newer version of the format, or of a kind that isn't read */
  SKL_IO = -5,          /* the operating system failed; see os_error */
  SKL_OUT_OF_MEMORY = -6,
  SKL_CANCELLED = -7, /* a request that was taken back */
  SKL_STALE = -8      /* the asset's mount is gone, or its loose file isn't what was mounted */
} skl_result;

/* Structs. The library may be newer or older than the header that its caller was compiled with, and
 * later versions add members at the end. So each struct that a caller makes says how long it is, in
 * struct_bytes, its first member.
 *
 * Those that the caller fills in (options, skl_allocator, skl_request): what a shorter one lacks
 * counts as 0, and what a longer one has more isn't looked at. With struct_bytes 0 the call answers
 * INVALID, and the error says which struct it is.
 *
 * Those that the library fills in (skl_error, skl_progress, skl_completion, skl_stats): as much is
 * written as there is room for. struct_bytes 0 counts as the size in version 0.1, the first, so
 * that `skl_error error = {0};` gets its message, too.
 *
 * Arrays (of skl_request and skl_completion): all elements have the same struct_bytes, which is how
 * far apart they lie.
 *
 * skl_hash and skl_lease are values that the library makes. They stay as they are in all versions,
 * and say no size. */

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

/* Memory for blocks, tables, queues and sweeps. What mounting and recording need besides is C++'s.
 * Called from any thread, several at once, also while reading and unmounting; the functions may not
 * call back into the library. Both NULL: the C library's. */
typedef struct skl_allocator {
  uint32_t struct_bytes; /* sizeof(skl_allocator) */
  /* The alignment is a power of two up to 2 MiB. NULL: no memory; then the call or the request that
   * needed it fails with OUT_OF_MEMORY. */
  void* (*allocate)(void* user, size_t size_bytes, size_t alignment_bytes);
  void (*release)(void* user, void* memory, size_t size_bytes); /* with the size asked for */
  void* user;
} skl_allocator;

/* What a canary sings of. */
typedef enum skl_canary_kind {
  SKL_CANARY_SLOW_READ = 1,   /* one read took longer than slow_read_ms */
  SKL_CANARY_BACKWARD_SEEK,   /* a sweep read something that lies before what it had read */
  SKL_CANARY_SMALL_READS,     /* `count` small reads one after the other, each with a seek */
  SKL_CANARY_OUTSIDE_SWEEP,   /* an asset was requested during a sweep that doesn't bring it: the
                                 trace may be out of date; each asset once per sweep */
  SKL_CANARY_MISSED_DEADLINE, /* a request was answered later than it should */
  SKL_CANARY_RETRIED_BLOCK    /* bytes didn't match their checksum and were read once more */
} skl_canary_kind;

typedef struct skl_canary {
  uint32_t struct_bytes;
  skl_canary_kind kind;
  skl_asset asset;       /* 0: none */
  uint64_t offset_bytes; /* in the file, or of the asset in a request; 0: none */
  uint64_t duration_us;  /* of the read, or how late it was; 0: doesn't apply */
  uint64_t count;        /* of what happened, 1 or more */
  char message[256];     /* one line; may be cut */
} skl_canary;

/* `canary` is valid during the call. Called from the reader's own threads and from those that call
 * the library, several at once, while reading waits: be quick, and call nothing of the library. */
typedef void (*skl_canary_function)(void* user, const skl_canary* canary);

/* What the device under the mounts is like. DETECT: for each device, what the system says of it at
 * first (rotational if it says nothing), and then what its jumps take, once 32 far ones (16 MiB or
 * more) had to wait for it: a virtual disk that calls itself rotational is read as solid from then
 * on, and a hard disk that calls itself solid, or hides after a cache, as rotational. What comes
 * from the system's cache decides nothing. skl_stats says what was decided, and why. */
typedef enum skl_media { SKL_MEDIA_DETECT = 0, SKL_MEDIA_ROTATIONAL, SKL_MEDIA_SOLID } skl_media;

/* What says so. */
typedef enum skl_media_source {
  SKL_MEDIA_SOURCE_NONE = 0, /* nothing has been read */
  SKL_MEDIA_SOURCE_OPTIONS,  /* the context's creator */
  SKL_MEDIA_SOURCE_SYSTEM,   /* the system, of the device */
  SKL_MEDIA_SOURCE_UNKNOWN,  /* nobody, so it counts as rotational */
  SKL_MEDIA_SOURCE_MEASURED  /* what jumps took */
} skl_media_source;

/* How the reader's threads read. DETECT: one thread for a rotational device, io_uring for a solid
 * one. What isn't there is replaced by threads. */
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
  uint32_t threads;              /* reads in flight for each device, 1..64, for queues, sweeps and
                                    prefetches; 0: by media. They start with the first of these. */
  uint32_t bypasses_per_second;  /* seeks, on average, that urgent requests may cost by going out of
                                    turn; more of them go in the disk's order, as all others do.
                                    0: 50 */
  uint32_t slow_read_ms;         /* from here on the canary sings; 0: 500 */
  skl_canary_function on_canary; /* NULL: canaries are only counted */
  void* canary_user;
  skl_inflate_function inflate; /* for deflated entries of zips; NULL: they are UNSUPPORTED */
  void* inflate_user;
} skl_context_options;

/* `options` may be NULL. Destroy it with skl_context_destroy. */
SKL_API skl_result skl_context_create(const skl_context_options* options, skl_context** out,
                                      skl_error* error);
/* Stops recording. Cancels what queues, sweeps and prefetches have outstanding, and waits until
 * nothing writes into callers' memory any more. Queues and sweeps that are left answer CANCELLED
 * from then on and are still to be destroyed and closed; leases stay good until they are released.
 * No other call with the context may be under way. NULL is allowed. */
SKL_API void skl_context_destroy(skl_context* context);

/* ---- mounts --------------------------------------------------------------------------------- */

typedef uint32_t skl_mount_id; /* 0 is never one; none is used again soon */

typedef struct skl_mount_options {
  uint32_t struct_bytes;
  const char* at;     /* the folder of the name space under which its paths appear, such as
                         "mods/winter", without a '/' at its end; NULL or "": the root */
  int32_t priority;   /* a path in a mount of a higher one hides the same path in others; among
                         equals the later mount hides the earlier */
  uint32_t fold_case; /* of a folder or a zip: 1: A-Z are the same as a-z in its paths. Packs say
                         it themselves. */
  const char* const* deletions; /* paths of this mount, below `at`, that lower mounts no longer
                                   show; with '/' at the end: all below that folder. Copied. */
  size_t deletion_count;
} skl_mount_options;

/* Mounts what lies at `path`: a pack set (its folder, or its catalog.skl), a single pack, a zip, or
 * a folder of loose files (any that holds no catalog.skl). `options` and `mount` may be NULL.
 *
 * Finding takes as long with many mounts as with two. Two paths are one where either mount's rule
 * of case says so for the path that is asked for. A file ".skl-deleted" at the root of a mount
 * holds further deletions, a path a line; what a mount deletes and has itself is shown.
 *
 * Pack set, pack: reads the tables of what it opens first (a set's catalog, a single pack's index);
 * a set's packs are opened when they are first needed. Their names are read if another mount
 * deletes folders, or if it lies at another folder than the root, or hashes unlike the largest
 * mount.
 *
 * Folder: lists all files below it now, and holds none open. Links, pipes and devices are left out;
 * a name that no asset may have (a backslash, not UTF-8) is an error. A file that isn't what was
 * listed any more, by size, time and identity, is STALE to read; mount the folder again then.
 *
 * Zip: reads its directory, zip64 included. Stored entries are read as they lie; deflated ones need
 * the context's `inflate`, and a read of a part decodes all of it. What can't be read (encrypted,
 * of another method) is UNSUPPORTED when it is read. Links are left out; of equal paths the last
 * one counts; a path that leads out of the folder is an error.
 *
 * Errors: NOT_FOUND, INVALID (options, or 4096 mounts), DAMAGED, UNSUPPORTED, IO. */
SKL_API skl_result skl_mount(skl_context* context, const char* path,
                             const skl_mount_options* options, skl_mount_id* mount,
                             skl_error* error);

/* Takes a mount away again: what it hid can be found again, and its assets become STALE. Doesn't
 * wait: reads, leases, sweeps and requests that use it go on, and whoever lets go of it last closes
 * its files. (A recorder first names what was read of it.) Errors: STALE (unmounted already),
 * INVALID (never mounted); it is still mounted after OUT_OF_MEMORY, and after DAMAGED and IO, where
 * names of those that stay were needed. */
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

/* Finds a path in all mounts. No lock, no allocation, no I/O; a miss is as cheap as a hit.
 * `size_bytes` may be NULL. Errors: NOT_FOUND, INVALID. */
SKL_API skl_result skl_find(skl_context* context, const char* path, skl_asset* asset,
                            uint64_t* size_bytes);

/* The path as it was packed, behind the folder that it is mounted at. `length_bytes` (may be NULL)
 * gets its length without the zero byte; INVALID if `capacity_bytes` is less than that plus one.
 * Reads a table on first use. */
SKL_API skl_result skl_asset_path(skl_context* context, skl_asset asset, char* path,
                                  size_t capacity_bytes, size_t* length_bytes, skl_error* error);

/* The hash of the asset's content. In a pack it is read from a table, on first use; of a loose file
 * or an entry of a zip it is worked out from all its bytes. */
SKL_API skl_result skl_asset_hash(skl_context* context, skl_asset asset, skl_hash* hash,
                                  skl_error* error);

/* Reads `length_bytes` at `offset_bytes` of the asset, or what there is of it before its end, into
 * `destination`; `read_bytes` (may be NULL) gets the count. From an offset behind the end: INVALID.
 * A read of a whole asset is checked against its hash, or its CRC in a zip; loose files have
 * neither. A read of a part of an uncompressed pack or of a stored entry isn't checked; blocks of
 * a compressed pack are checked, decoded within the memory budget (allocates two if it is full),
 * and the latest few kept. Errors: INVALID, STALE, DAMAGED (the destination then holds the damaged
 * bytes; also a file that has shrunk), UNSUPPORTED, IO. */
SKL_API skl_result skl_read(skl_context* context, skl_asset asset, uint64_t offset_bytes,
                            void* destination, size_t length_bytes, size_t* read_bytes,
                            skl_error* error);

/* ---- sweep: a scenario's assets in the order they lie on the disk ---------------------------- */

typedef struct skl_sweep skl_sweep;

/* A read-only view of an asset, or of a part of one that is larger than a block. Parts of an asset
 * come in order; between them come only parts of assets that are the same bytes, and assets that
 * were asked for by skl_sweep_want. Valid until it is released; releasing is allowed from any
 * thread. */
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
 * hides is handed out, too (compare with what skl_find gives). Never waits for the disk; blocks are
 * read ahead of it, up to three quarters of the memory budget. One thread at a time; the others
 * wait. Every block is checked before anything of it is handed out, and read once more if it is
 * wrong. After DAMAGED or IO, whose message names the assets concerned, the sweep can go on: what
 * was in that block is left out, and the next call continues behind it. After OUT_OF_MEMORY, and IO
 * for want of a thread, nothing is left out: the next call tries again. Answers: OK, END,
 * WOULD_BLOCK (not read yet, or leases and other sweeps use up the memory budget). Errors: DAMAGED,
 * IO, OUT_OF_MEMORY, CANCELLED (the context is gone). */
SKL_API skl_result skl_sweep_next(skl_sweep* sweep, skl_lease* lease, skl_error* error);
/* As skl_sweep_next, but waits for up to `timeout_ms` (UINT32_MAX: without end) before it answers
 * WOULD_BLOCK: for the disk, and for memory that other threads give back. It sleeps meanwhile. */
SKL_API skl_result skl_sweep_wait(skl_sweep* sweep, uint32_t timeout_ms, skl_lease* lease,
                                  skl_error* error);
/* "I need this asset now": its block is read next, whatever that costs within bypasses_per_second,
 * and it is handed out as soon as it is there, even between the parts of another asset; not again
 * later. Assets that are the same bytes come with it. Any thread. NOT_FOUND: not of this sweep;
 * END: handed out already, or its handing out has begun. */
SKL_API skl_result skl_sweep_want(skl_sweep* sweep, skl_asset asset, skl_error* error);

typedef struct skl_progress {
  uint32_t struct_bytes;
  uint64_t read_bytes;  /* of the file, so far */
  uint64_t total_bytes; /* that the sweep reads; what is wanted out of turn adds to it */
  uint64_t reads;       /* blocks so far */
  uint64_t jumps;       /* places so far where it left a gap or changed the file */
} skl_progress;

/* Any thread, at any time. */
SKL_API void skl_sweep_progress(const skl_sweep* sweep, skl_progress* progress);
/* Waits for a read that is under way. Leases outlive their sweep. NULL is allowed. */
SKL_API void skl_sweep_close(skl_sweep* sweep);

/* ---- leases: parts of blocks, from sweeps and queues ----------------------------------------- */

/* Counts one more holder; each must release. Any thread. */
SKL_API void skl_lease_retain(const skl_lease* lease);
SKL_API void skl_lease_release(const skl_lease* lease);
/* Copies the part. INVALID if `capacity_bytes` is less than its size; then nothing is copied. */
SKL_API skl_result skl_lease_copy(const skl_lease* lease, void* destination, size_t capacity_bytes);
/* Takes the block out of the memory budget, which may then be used by others: for what is kept for
 * long. All of the block stays in memory, up to the last release of any lease on it. */
SKL_API skl_result skl_lease_claim(const skl_lease* lease, skl_error* error);

/* ---- queue: requests in the background ------------------------------------------------------- */

/* All requests of a context for one device are put into the disk's order, whichever queue they are
 * in. Every function but skl_queue_destroy may be called from any thread at any time. */
typedef struct skl_queue skl_queue;

typedef struct skl_queue_options {
  uint32_t struct_bytes;
  uint32_t capacity; /* requests from submit to poll, 1..65536; 0: 1024. Memory is taken when the
                        queue is made: some 500 bytes for each. */
} skl_queue_options;

/* Requests of higher groups go first; within one, place on the disk decides. The groups:
 * 100 and more, 0..99, -99..-1, -100 and less. None waits for ever, on any medium and
 * however many urgent ones keep coming: these, and those whose deadline is near, take at most three
 * quarters of the reading as long as others wait. Streams are served at least once in some two
 * seconds, prefetches in some twelve, and later only by the time of one round over all that waits,
 * at that quarter. */
#define SKL_PRIORITY_PREFETCH (-100)
#define SKL_PRIORITY_STREAM (-50) /* music, far textures */
#define SKL_PRIORITY_NORMAL 0
#define SKL_PRIORITY_URGENT 100 /* next, whatever it costs (within bypasses_per_second) */

#define SKL_TO_THE_END UINT64_MAX

typedef struct skl_request {
  uint32_t struct_bytes; /* sizeof(skl_request), the same in all of one call */
  skl_asset asset;
  uint64_t offset_bytes;
  uint64_t length_bytes; /* cut at the asset's end; SKL_TO_THE_END: all from the offset on */
  void* destination;     /* written into until the completion is handed out; destinations that
                            overlap are allowed, and then hold a mixture. NULL: the completion brings
                            a lease; then at most a block's length (2 MiB in a folder or a zip) */
  int32_t priority;
  uint32_t deadline_us; /* from submission; 0: none. Requests are made urgent shortly before; those
                           that come too late are answered all the same */
  uint64_t tag;         /* for cancelling */
  void* user;
  skl_error* error; /* filled before the completion is handed out; NULL: not wanted */
} skl_request;

typedef struct skl_completion {
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
} skl_completion;

/* Destroy it with skl_queue_destroy. Errors: INVALID, OUT_OF_MEMORY. */
SKL_API skl_result skl_queue_create(skl_context* context, const skl_queue_options* options,
                                    skl_queue** out, skl_error* error);
/* Takes requests from the front of `requests`, which may be gone afterwards; `accepted` (may be
 * NULL) gets how many. WOULD_BLOCK: the queue is full, poll first; requests behind the accepted
 * ones aren't taken. Never waits for room or for the disk; only the first request to a pack or a
 * folder's file may open it, which reads its tables. What is wrong with a single request comes as
 * its completion: STALE, INVALID (never an asset; an offset behind its end; a lease of more than a
 * block), NOT_FOUND, IO, DAMAGED. A request of no bytes completes without reading. A whole asset is
 * checked against its hash, parts by every block that lies in them; bytes that are wrong are read
 * once more. Requests without a destination wait until the memory budget has room, and are looked
 * at again with every call of submit, poll and wait. Errors: INVALID (struct_bytes of a request;
 * those before it are accepted), OUT_OF_MEMORY, CANCELLED (the context is gone). */
SKL_API skl_result skl_queue_submit(skl_queue* queue, const skl_request* requests, size_t count,
                                    size_t* accepted, skl_error* error);
/* Hands out up to `capacity` completions, in the order that they came in; `count` gets how many.
 * OK; END: nothing is outstanding, and none was handed out. INVALID: a parameter is NULL, or
 * struct_bytes of the first completion can't be the size of one. */
SKL_API skl_result skl_queue_poll(skl_queue* queue, skl_completion* out, size_t capacity,
                                  size_t* count);
/* As poll, but waits up to `timeout_ms` (UINT32_MAX: without end) for at least one: for the disk,
 * and for memory that other threads give back. WOULD_BLOCK: none came in that time. */
SKL_API skl_result skl_queue_wait(skl_queue* queue, uint32_t timeout_ms, skl_completion* out,
                                  size_t capacity, size_t* count);
/* Takes back the requests with (request.tag & mask) == (tag & mask) that aren't done: they complete
 * as CANCELLED, and a read under way is waited for first, but not by this call. Returns how many.
 */
SKL_API size_t skl_queue_cancel(skl_queue* queue, uint64_t tag, uint64_t mask);
/* Cancels, and waits until nothing writes into destinations any more. Completions that weren't
 * polled are dropped, with their leases. NULL is allowed. */
SKL_API void skl_queue_destroy(skl_queue* queue);

/* ---- prefetch -------------------------------------------------------------------------------- */

/* Reads what `scenario` needs into the system's cache, in the background and behind everything
 * else. Uses none of the memory budget. Opens the packs that the scenario needs. `ticket` may be
 * NULL. Errors: as skl_sweep_open. */
SKL_API skl_result skl_prefetch(skl_context* context, const char* scenario, uint64_t* ticket,
                                skl_error* error);
/* NOT_FOUND: no such prefetch, or it is over. */
SKL_API skl_result skl_prefetch_cancel(skl_context* context, uint64_t ticket);

/* ---- stats ----------------------------------------------------------------------------------- */

/* Of queues, sweeps and prefetches since the context was made or skl_stats_reset was called;
 * budget_bytes and behind it, but for wait_us, say how it is now. */
typedef struct skl_stats {
  uint32_t struct_bytes;
  uint64_t read_bytes;
  uint64_t reads;
  uint64_t seeks;              /* reads that began elsewhere than the one before ended */
  uint64_t sequential_bytes;   /* of the others */
  uint64_t coalesced_requests; /* served by a read of another's */
  uint64_t gap_bytes;          /* read through between them */
  uint64_t cache_hits;         /* reads that came too fast for a disk */
  uint64_t requests;           /* of queues, taken */
  uint64_t cancelled;
  uint64_t missed_deadlines;
  uint64_t bypasses;     /* reads out of turn */
  uint64_t would_blocks; /* answers so, of any function */
  uint64_t retried_blocks;
  uint64_t damaged_blocks;
  uint64_t io_errors;
  uint64_t canaries;
  uint64_t budget_bytes;
  uint64_t used_bytes;      /* of the budget, by blocks held and kept for the next use */
  uint64_t leased_bytes;    /* in leases that aren't released */
  uint64_t peak_used_bytes; /* since the reset, too */
  uint64_t wait_us;         /* spent in skl_sweep_wait and skl_queue_wait */
  /* Of the device that most was read of by queues, sweeps and prefetches, since the context was
     made. */
  uint32_t devices; /* how many there are */
  skl_media media;  /* as it is read now; DETECT: nothing has been read */
  skl_media_source media_source;
  skl_media system_media;  /* what the system says of it; DETECT: nothing, or it wasn't asked */
  uint32_t media_changes;  /* how often what reads took has changed it */
  uint32_t fast_jumps;     /* of the latest 32 that count, those of less than 2 ms; 29: solid */
  uint32_t slow_jumps;     /* and those of 4 ms or more; 12: rotational */
  uint64_t jumps_timed;    /* that count: far ones for which the device was waited for */
  uint64_t median_jump_us; /* of the latest 32 that count */
} skl_stats;

SKL_API void skl_stats_get(skl_context* context, skl_stats* stats);
SKL_API void skl_stats_reset(skl_context* context);
/* Who pins memory: calls `visit` for each asset with leases that aren't released: their bytes, and
 * for how long the oldest is held. `visit` may call the library. Without memory for the list it
 * isn't called. */
SKL_API void skl_stats_pins(skl_context* context,
                            void (*visit)(void* user, skl_asset asset, uint64_t bytes,
                                          uint64_t held_ms),
                            void* user);

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
