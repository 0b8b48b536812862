#include "packer/host/freed_memory.h"

#include <malloc.h>

#ifdef __GLIBC__
#include <sys/resource.h>
#endif

namespace seekless {

void return_freed_memory() {
#ifdef __GLIBC__
  // Fixes this threshold. Otherwise glibc raises it up to 32 MiB as memory is freed, and a build of
  // 200,000 assets takes a fifth more memory.
  constexpr int kLargeBytes = 1 << 20;
  (void)mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  // Each thread's own heap reserves 64 MiB of addresses, however little it holds. Eight heaps and
  // their stacks could take most of the addresses that a process may have.
  rlimit addresses = {};
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
    (void)mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace seekless
