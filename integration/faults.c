/* Faults for a tested program: LD_PRELOAD it. Counts calls, and makes the one with a given number
   fail, or runs a command just before it.
   FAULT_READDIR=N   the N-th readdir() fails with EIO
   FAULT_THREAD=N    the N-th pthread_create() and all after it fail with EAGAIN
   FAULT_OPEN=N      before the N-th opening of a path that ends with FAULT_OPEN_END:
                     system(FAULT_OPEN_DO)
   FAULT_SLOW_MS=N   each preadv() takes N ms; io_uring is refused, so that reads are such calls
   FAULT_COUNTS=F    at the end: a line in F, "readdirs threads opens" */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int readdirs, threads, opens;

static int number(const char* name) {
  const char* text = getenv(name);
  return text ? atoi(text) : 0;
}

static int is_one(const char* name, int* count) {
  return __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST) == number(name);
}

struct dirent* readdir(DIR* folder) {
  static struct dirent* (*real)(DIR*);
  if (!real) real = (struct dirent * (*)(DIR*)) dlsym(RTLD_NEXT, "readdir");
  if (is_one("FAULT_READDIR", &readdirs)) {
    errno = EIO;
    return NULL;
  }
  return real(folder);
}

struct dirent64* readdir64(DIR* folder) {
  static struct dirent64* (*real)(DIR*);
  if (!real) real = (struct dirent64 * (*)(DIR*)) dlsym(RTLD_NEXT, "readdir64");
  if (is_one("FAULT_READDIR", &readdirs)) {
    errno = EIO;
    return NULL;
  }
  return real(folder);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* with) {
  static int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (!real)
    real = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(
        RTLD_NEXT, "pthread_create");
  int count = __atomic_add_fetch(&threads, 1, __ATOMIC_SEQ_CST);
  if (number("FAULT_THREAD") > 0 && count >= number("FAULT_THREAD")) return EAGAIN;
  return real(thread, attributes, run, with);
}

static void before_open(const char* path) {
  const char* end = getenv("FAULT_OPEN_END");
  if (!end || strlen(path) < strlen(end) || strcmp(path + strlen(path) - strlen(end), end) != 0)
    return;
  if (!is_one("FAULT_OPEN", &opens)) return;
  unsetenv("LD_PRELOAD");
  if (system(getenv("FAULT_OPEN_DO")) != 0) abort();
}

static int open_as(const char* name, const char* path, int flags, int mode) {
  int (*real)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, name);
  before_open(path);
  return real(path, flags, mode);
}

static int mode_of(int flags, va_list rest) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, int) : 0;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = mode_of(flags, rest);
  va_end(rest);
  return open_as("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = mode_of(flags, rest);
  va_end(rest);
  return open_as("open64", path, flags, mode);
}

static int open_in(const char* name, int folder, const char* path, int flags, int mode) {
  int (*real)(int, const char*, int, ...) =
      (int (*)(int, const char*, int, ...))dlsym(RTLD_NEXT, name);
  before_open(path);
  return real(folder, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = mode_of(flags, rest);
  va_end(rest);
  return open_in("openat", folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = mode_of(flags, rest);
  va_end(rest);
  return open_in("openat64", folder, path, flags, mode);
}

ssize_t preadv(int file, const struct iovec* into, int count, off_t offset) {
  ssize_t (*real)(int, const struct iovec*, int, off_t) =
      (ssize_t(*)(int, const struct iovec*, int, off_t))dlsym(RTLD_NEXT, "preadv");
  usleep(1000 * (useconds_t)number("FAULT_SLOW_MS"));
  return real(file, into, count, offset);
}

int io_uring_queue_init(unsigned entries, void* ring, unsigned flags) {
  int (*real)(unsigned, void*, unsigned) =
      (int (*)(unsigned, void*, unsigned))dlsym(RTLD_NEXT, "io_uring_queue_init");
  return number("FAULT_SLOW_MS") > 0 || !real ? -ENOSYS : real(entries, ring, flags);
}

__attribute__((destructor)) static void tell(void) {
  const char* path = getenv("FAULT_COUNTS");
  FILE* file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%d %d %d\n", readdirs, threads, opens);
  fclose(file);
}
