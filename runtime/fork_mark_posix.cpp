#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/fork_mark.h"

namespace seekless::runtime {
namespace {

using Mark = std::atomic<uint32_t>;

}  // namespace

// A page that forking clears is used because some ways to fork don't call the handlers of
// pthread_atfork, and asking for the process's number costs a system call for each read.
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
