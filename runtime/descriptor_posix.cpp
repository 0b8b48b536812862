#include "runtime/descriptor_posix.h"

#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

namespace seekless::runtime {

DescriptorIdentity::DescriptorIdentity(int number) {
  struct stat status = {};
  if (number < 0 || ::fstat(number, &status) != 0) return;
  device_ = static_cast<uint64_t>(status.st_dev);
  file_ = static_cast<uint64_t>(status.st_ino);
}

bool DescriptorIdentity::is_of(int number) const {
  struct stat status = {};
  if (::fstat(number, &status) != 0) return errno != EBADF;
  return file_ == 0 || (device_ == static_cast<uint64_t>(status.st_dev) &&
                        file_ == static_cast<uint64_t>(status.st_ino));
}

Descriptor::Descriptor(int number) : number_(number), identity_(number) {}

// Preserves errno, because the caller may still need the error of opening.
Descriptor::~Descriptor() {
  const int os_error = errno;
  if (is_own()) ::close(number_);
  errno = os_error;
}

}  // namespace seekless::runtime
