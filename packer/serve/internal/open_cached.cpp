#include "packer/serve/internal/open_cached.h"

#include <cstdint>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "packer/host/descriptor.h"

namespace seekless {

int open_cached(int folder, const std::string& name, int flags) {
  // Linux has this since 5.12; older headers don't.
  constexpr uint64_t kResolveCached = 0x20;
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = kResolveCached;
  return static_cast<int>(::syscall(SYS_openat2, folder, name.c_str(), &how, sizeof(how)));
}

std::optional<dev_t> device_of_cached(const std::string& path) {
  const Descriptor opened(open_cached(AT_FDCWD, path, O_PATH | O_DIRECTORY));
  struct statx found = {};
  if (opened.get() < 0 ||
      ::statx(opened.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &found) != 0)
    return std::nullopt;
  return makedev(found.stx_dev_major, found.stx_dev_minor);
}

}  // namespace seekless
