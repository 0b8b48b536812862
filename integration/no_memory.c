/* LD_PRELOAD it to refuse memory to one program's own code. Counts what the program itself and the
   library that NO_MEMORY_OF names (the end of its path) allocate. Other libraries get all memory
   that they ask for, because we can't fix them.
   NO_MEMORY_FROM=N   the N-th allocation and all after it fail; none if 0 or unset
   NO_MEMORY_ONE=N    only the N-th fails
   NO_MEMORY_COUNT=F  at the end: the number of allocations, in the file F */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_memalign(size_t, size_t);

static struct {
  uintptr_t from, to;
} ours[16];
static int our_count, is_on, count;

static int note_places(struct dl_phdr_info* info, size_t size, void* end) {
  const size_t length = strlen(info->dlpi_name), wanted = strlen(end);
  (void)size;
  /* An empty name means the program itself. */
  if (length != 0 &&
      (wanted == 0 || length < wanted || strcmp(info->dlpi_name + length - wanted, end) != 0))
    return 0;
  for (int i = 0; i < info->dlpi_phnum && our_count < 16; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    ours[our_count].from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    ours[our_count].to = ours[our_count].from + info->dlpi_phdr[i].p_memsz;
    ++our_count;
  }
  return 0;
}

__attribute__((constructor)) static void begin(void) {
  char* library = getenv("NO_MEMORY_OF");
  dl_iterate_phdr(note_places, library ? library : "");
  is_on = 1;
}

__attribute__((destructor)) static void end(void) {
  const char* path = getenv("NO_MEMORY_COUNT");
  FILE* file;
  is_on = 0;
  if (path == NULL || (file = fopen(path, "w")) == NULL) return;
  fprintf(file, "%d\n", count);
  fclose(file);
}

static int number(const char* name) {
  const char* text = getenv(name);
  return text ? atoi(text) : 0;
}

static int is_refused(const void* caller) {
  const uintptr_t at = (uintptr_t)caller;
  if (!is_on) return 0;
  for (int i = 0; i < our_count; ++i) {
    if (at < ours[i].from || at >= ours[i].to) continue;
    const int nth = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    const int from = number("NO_MEMORY_FROM");
    return (from != 0 && nth >= from) || nth == number("NO_MEMORY_ONE");
  }
  return 0;
}

static void* refuse(void) {
  errno = ENOMEM;
  return NULL;
}

void* malloc(size_t size) {
  return is_refused(__builtin_return_address(0)) ? refuse() : __libc_malloc(size);
}

void* calloc(size_t many, size_t size) {
  return is_refused(__builtin_return_address(0)) ? refuse() : __libc_calloc(many, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return is_refused(__builtin_return_address(0)) ? refuse() : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (is_refused(__builtin_return_address(0))) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == NULL ? ENOMEM : 0;
}

/* The library calls the C++ operators that return null on failure. The throwing ones are called by
 * the C++ library and must throw, so to refuse, this requests an impossible size from the original
 * one. */
void* _Znwm(size_t size) {
  static void* (*real)(size_t);
  if (!real) real = (void* (*)(size_t))dlsym(RTLD_NEXT, "_Znwm");
  return real(is_refused(__builtin_return_address(0)) ? SIZE_MAX / 4 : size);
}

void* _ZnwmRKSt9nothrow_t(size_t size, const void* nothrow) {
  (void)nothrow;
  return is_refused(__builtin_return_address(0)) ? refuse() : __libc_malloc(size);
}
