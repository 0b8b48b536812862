#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/fork_mark.h"

namespace seekless::runtime {
namespace {

using Mark = std::atomic<uint32_t>;

}  // namespace

// This uses a page that fork() clears (MADV_WIPEONFORK), because some ways to fork don't call
// pthread_atfork handlers, and getpid() would be a system call per read.
ForkMark::ForkMark() : process_(::getpid()) {
#ifdef MADV_WIPEONFORK
  void* const page =
      ::mmap(nullptr, sizeof(Mark), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (::madvise(page, sizeof(Mark), MADV_WIPEONFORK) == 0)
    page_ = new (page) Mark(1);
  else
    ::munmap(page, sizeof(Mark));
#endif
}

ForkMark::~ForkMark() {
  if (page_ != nullptr) ::munmap(page_, sizeof(Mark));
}

bool ForkMark::is_other_process() const {
  return ::getpid() != process_;
}

}  // namespace seekless::runtime
