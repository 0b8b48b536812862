/* LD_PRELOAD it: openat2 fails with the error NO_OPENAT2, as under seccomp filters and older
 * kernels. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (real == NULL) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  if (number == SYS_openat2) {
    errno = atoi(getenv("NO_OPENAT2"));
    return -1;
  }
  __builtin_va_list rest;
  __builtin_va_start(rest, number);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = __builtin_va_arg(rest, long);
  __builtin_va_end(rest);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
