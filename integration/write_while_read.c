/* Preload it: right after the program's read number WRITTEN_AT of the file WRITTEN_FILE (from 1; 0:
 * never), WRITTEN_BYTES are written over the file's first bytes, under its own name and without
 * changing its length. When the program ends, the file WRITTEN_COUNT gets the number of reads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static struct stat watched;
static int is_watching;
static long write_at;
static atomic_long reads;

__attribute__((constructor)) static void begin(void) {
  const char* const file = getenv("WRITTEN_FILE");
  const char* const at = getenv("WRITTEN_AT");
  is_watching = file != NULL && stat(file, &watched) == 0;
  write_at = at != NULL ? atol(at) : 0;
}

__attribute__((destructor)) static void end(void) {
  const char* const path = getenv("WRITTEN_COUNT");
  FILE* const out = is_watching && path != NULL ? fopen(path, "w") : NULL;
  if (out == NULL) return;
  fprintf(out, "%ld", atomic_load(&reads));
  fclose(out);
}

static void write_over(void) {
  const char* const bytes = getenv("WRITTEN_BYTES");
  const int file = open(getenv("WRITTEN_FILE"), O_WRONLY | O_CLOEXEC);
  if (file < 0 || pwrite(file, bytes, strlen(bytes), 0) != (ssize_t)strlen(bytes)) abort();
  close(file);
}

static int is_it(const struct stat* status) {
  return status->st_dev == watched.st_dev && status->st_ino == watched.st_ino;
}

static ssize_t note(int file, ssize_t got) {
  struct stat now;
  if (is_watching && fstat(file, &now) == 0 && is_it(&now) &&
      stat(getenv("WRITTEN_FILE"), &now) == 0 && is_it(&now) &&
      atomic_fetch_add(&reads, 1) + 1 == write_at)
    write_over();
  return got;
}

#define NEXT(name)                 \
  static ssize_t (*next)() = NULL; \
  if (next == NULL) next = (ssize_t(*)())dlsym(RTLD_NEXT, #name)

ssize_t pread(int file, void* bytes, size_t count, off_t at) {
  NEXT(pread);
  return note(file, next(file, bytes, count, at));
}

ssize_t pread64(int file, void* bytes, size_t count, off_t at) {
  NEXT(pread64);
  return note(file, next(file, bytes, count, at));
}

ssize_t read(int file, void* bytes, size_t count) {
  NEXT(read);
  return note(file, next(file, bytes, count));
}
