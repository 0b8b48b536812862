/* Preload it. One page of a file named "bad" can't be read. Reads of a file named "slow", or with
 * the ending in SLOW_READS_OF, return few bytes at once and are interrupted, as on network folders.
 * */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { page = 4096, bad_page = 21, little = 1000 };

static int ends_with(const char* text, const char* end) {
  const size_t length = strlen(text), end_length = end == NULL ? 0 : strlen(end);
  return end_length > 0 && length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static int is_called(int file, const char* name, const char* end) {
  char link[64];
  char path[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof(path) - 1);
  if (length < 0) return 0;
  path[length] = 0;
  const char* const last = strrchr(path, '/');
  return last != NULL && (strcmp(last + 1, name) == 0 || ends_with(last, end));
}

static ssize_t read_badly(const char* call, int file, void* bytes, size_t count, off_t at) {
  static _Thread_local int is_second;
  ssize_t (*const next)(int, void*, size_t, off_t) =
      (ssize_t(*)(int, void*, size_t, off_t))dlsym(RTLD_NEXT, call);
  const off_t begin = (off_t)bad_page * page;
  if (is_called(file, "bad", NULL) && at < begin + page && at + (off_t)count > begin) {
    if (at >= begin) {
      errno = EIO;
      return -1;
    }
    return next(file, bytes, (size_t)(begin - at), at);
  }
  if (is_called(file, "slow", getenv("SLOW_READS_OF"))) {
    is_second = !is_second;
    if (is_second) {
      errno = EINTR;
      return -1;
    }
    if (count > little) count = little;
  }
  return next(file, bytes, count, at);
}

ssize_t pread(int file, void* bytes, size_t count, off_t at) {
  return read_badly("pread", file, bytes, count, at);
}

ssize_t pread64(int file, void* bytes, size_t count, off_t at) {
  return read_badly("pread64", file, bytes, count, at);
}
