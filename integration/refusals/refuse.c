/* Preloaded into a program, refuses one call of a kind: the FAULT_AT-th of FAULT_KIND since main
   began, with the error FAULT_ERRNO; with FAULT_SPAN=0 all that follow, too. Without FAULT_KIND it
   counts the calls of each kind, and writes them to the file FAULT_COUNTS when the program ends. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum Kind {
  k_open,
  k_read,
  k_write,
  k_space,
  k_sync,
  k_name,
  k_remove,
  k_folder,
  k_list,
  k_stat,
  k_lock,
  k_memory,
  k_large_memory,
  k_thread,
  k_count
};
static const char* const names[k_count] = {"open", "read",   "write",        "space", "sync",
                                           "name", "remove", "folder",       "list",  "stat",
                                           "lock", "memory", "large memory", "thread"};
static atomic_long counts[k_count];
static atomic_int is_on;
static int refused_kind = -1, refused_errno = EIO;
static long refused_at, span = 1;

static int refused(enum Kind kind) {
  if (!is_on) return 0;
  long at = atomic_fetch_add(&counts[kind], 1) + 1;
  if ((int)kind != refused_kind || at < refused_at || (span != 0 && at >= refused_at + span))
    return 0;
  errno = refused_errno;
  return 1;
}

static void write_counts(void) {
  char text[1024];
  int length = 0;
  const char* path = getenv("FAULT_COUNTS");
  is_on = 0;
  if (path == NULL) return;
  for (int kind = 0; kind < k_count; ++kind)
    length += snprintf(text + length, sizeof text - (size_t)length, "%s %ld\n", names[kind],
                       counts[kind]);
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  syscall(SYS_write, file, text, (size_t)length);
  syscall(SYS_close, file);
}

static int (*their_main)(int, char**, char**);
static int our_main(int count, char** words, char** environment) {
  const char* kind = getenv("FAULT_KIND");
  for (int i = 0; kind != NULL && i < k_count; ++i)
    if (strcmp(kind, names[i]) == 0) refused_kind = i;
  if (kind != NULL) refused_at = atol(getenv("FAULT_AT"));
  if (kind != NULL) refused_errno = atoi(getenv("FAULT_ERRNO"));
  if (kind != NULL) span = atol(getenv("FAULT_SPAN"));
  if (kind == NULL) atexit(write_counts);
  is_on = 1;
  return their_main(count, words, environment);
}
int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  int (*real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
              void (*)(void), void*) = dlsym(RTLD_NEXT, "__libc_start_main");
  their_main = main;
  return real(our_main, count, words, init, fini, rtld_fini, stack_end);
}

/* CALL(kind, what a refusal returns, type, name, (parameters), (arguments)) */
#define CALL(kind, failure, type, name, parameters, arguments)            \
  type name parameters {                                                  \
    static type(*real) parameters;                                        \
    if (real == NULL) real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    return refused(kind) ? (type)(failure) : real arguments;              \
  }
#define OPEN(name, parameters, arguments)                                      \
  int name parameters {                                                        \
    static int (*real)();                                                      \
    if (real == NULL) real = (int (*)())dlsym(RTLD_NEXT, #name);               \
    va_list more;                                                              \
    va_start(more, flags);                                                     \
    int mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(more, int) : 0; \
    va_end(more);                                                              \
    return refused(k_open) ? -1 : real arguments;                              \
  }
OPEN(open, (const char* path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char* path, int flags, ...), (path, flags, mode))
OPEN(openat, (int at, const char* path, int flags, ...), (at, path, flags, mode))
OPEN(openat64, (int at, const char* path, int flags, ...), (at, path, flags, mode))
CALL(k_open, 0, FILE*, fopen, (const char* path, const char* mode), (path, mode))
CALL(k_open, 0, FILE*, fopen64, (const char* path, const char* mode), (path, mode))
CALL(k_read, -1, ssize_t, read, (int file, void* to, size_t size), (file, to, size))
CALL(k_read, -1, ssize_t, readv, (int file, const struct iovec* to, int count), (file, to, count))
CALL(k_read, -1, ssize_t, pread, (int file, void* to, size_t size, off_t at), (file, to, size, at))
CALL(k_read, -1, ssize_t, pread64, (int file, void* to, size_t size, off64_t at),
     (file, to, size, at))
CALL(k_read, -1, ssize_t, preadv, (int file, const struct iovec* to, int count, off_t at),
     (file, to, count, at))
CALL(k_read, -1, ssize_t, preadv64, (int file, const struct iovec* to, int count, off64_t at),
     (file, to, count, at))
CALL(k_write, -1, ssize_t, pwrite, (int file, const void* from, size_t size, off_t at),
     (file, from, size, at))
CALL(k_write, -1, ssize_t, pwrite64, (int file, const void* from, size_t size, off64_t at),
     (file, from, size, at))
CALL(k_write, -1, ssize_t, writev, (int file, const struct iovec* from, int count),
     (file, from, count))
CALL(k_write, -1, ssize_t, copy_file_range,
     (int from, off64_t* a, int to, off64_t* b, size_t size, unsigned flags),
     (from, a, to, b, size, flags))
CALL(k_space, -1, int, fallocate, (int file, int mode, off_t at, off_t size),
     (file, mode, at, size))
CALL(k_space, -1, int, fallocate64, (int file, int mode, off64_t at, off64_t size),
     (file, mode, at, size))
CALL(k_space, refused_errno, int, posix_fallocate, (int file, off_t at, off_t size),
     (file, at, size))
CALL(k_space, refused_errno, int, posix_fallocate64, (int file, off64_t at, off64_t size),
     (file, at, size))
CALL(k_space, -1, int, ftruncate, (int file, off_t size), (file, size))
CALL(k_space, -1, int, ftruncate64, (int file, off64_t size), (file, size))
CALL(k_sync, -1, int, fsync, (int file), (file))
CALL(k_sync, -1, int, fdatasync, (int file), (file))
CALL(k_name, -1, int, rename, (const char* from, const char* to), (from, to))
CALL(k_name, -1, int, renameat, (int a, const char* from, int b, const char* to), (a, from, b, to))
CALL(k_name, -1, int, renameat2, (int a, const char* from, int b, const char* to, unsigned flags),
     (a, from, b, to, flags))
CALL(k_name, -1, int, link, (const char* from, const char* to), (from, to))
CALL(k_name, -1, int, linkat, (int a, const char* from, int b, const char* to, int flags),
     (a, from, b, to, flags))
CALL(k_remove, -1, int, unlink, (const char* path), (path))
CALL(k_remove, -1, int, unlinkat, (int at, const char* path, int flags), (at, path, flags))
CALL(k_remove, -1, int, remove, (const char* path), (path))
CALL(k_remove, -1, int, rmdir, (const char* path), (path))
CALL(k_folder, -1, int, mkdir, (const char* path, mode_t mode), (path, mode))
CALL(k_folder, -1, int, mkdirat, (int at, const char* path, mode_t mode), (at, path, mode))
CALL(k_list, 0, DIR*, opendir, (const char* path), (path))
CALL(k_list, 0, DIR*, fdopendir, (int file), (file))
CALL(k_list, 0, struct dirent*, readdir, (DIR * folder), (folder))
CALL(k_list, 0, struct dirent64*, readdir64, (DIR * folder), (folder))
CALL(k_stat, -1, int, stat, (const char* path, struct stat* to), (path, to))
CALL(k_stat, -1, int, lstat, (const char* path, struct stat* to), (path, to))
CALL(k_stat, -1, int, fstat, (int file, struct stat* to), (file, to))
CALL(k_stat, -1, int, fstatat, (int at, const char* path, struct stat* to, int flags),
     (at, path, to, flags))
CALL(k_stat, -1, int, stat64, (const char* path, struct stat64* to), (path, to))
CALL(k_stat, -1, int, lstat64, (const char* path, struct stat64* to), (path, to))
CALL(k_stat, -1, int, fstat64, (int file, struct stat64* to), (file, to))
CALL(k_stat, -1, int, fstatat64, (int at, const char* path, struct stat64* to, int flags),
     (at, path, to, flags))
CALL(k_stat, -1, int, statx, (int at, const char* path, int flags, unsigned mask, struct statx* to),
     (at, path, flags, mask, to))
CALL(k_lock, -1, int, flock, (int file, int what), (file, what))
CALL(k_thread, refused_errno, int, pthread_create,
     (pthread_t * to, const pthread_attr_t* how, void* (*run)(void*), void* with),
     (to, how, run, with))

/* Folders are opened with openat2, for which the C library has no function. */
long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (real == NULL) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  if (number == SYS_openat2 && refused(k_open)) return -1;
  long a[6];
  va_list more;
  va_start(more, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(more, long);
  va_end(more);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Output on the terminal isn't one of our files. */
ssize_t write(int file, const void* from, size_t size) {
  if (file > STDERR_FILENO && refused(k_write)) return -1;
  return syscall(SYS_write, file, from, size);
}

/* dlsym itself allocates memory, so glibc's own names are called. */
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
/* Large requests, such as those of compressors, can be refused separately from the thousands of
 * small ones. */
static int refused_memory(size_t size) {
  const size_t large = 64 * 1024;
  return refused(k_memory) || (size >= large && refused(k_large_memory));
}
void* malloc(size_t size) {
  return refused_memory(size) ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return refused_memory(count * size) ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return refused_memory(size) ? NULL : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return refused_memory(size) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** to, size_t alignment, size_t size) {
  if (refused_memory(size)) return ENOMEM;
  *to = __libc_memalign(alignment, size);
  return *to == NULL ? ENOMEM : 0;
}
