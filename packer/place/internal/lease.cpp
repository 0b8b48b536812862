#include "packer/place/internal/lease.h"

#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>

namespace seekless {

std::expected<Lease, int> Lease::take(int file, Against whom) {
  const int type = whom == Against::writers ? F_RDLCK : F_WRLCK;
  // When somebody opens the file, the kernel sends a signal, which by default would end this
  // process; SIGURG is ignored by default.
  if (::fcntl(file, F_SETSIG, SIGURG) != 0 || ::fcntl(file, F_SETLEASE, type) != 0)
    return std::unexpected(errno);
  return Lease(file, type);
}

Lease::Lease(Lease&& other) noexcept : file_(std::exchange(other.file_, -1)), type_(other.type_) {}

Lease::~Lease() {
  if (file_ >= 0) ::fcntl(file_, F_SETLEASE, F_UNLCK);
}

bool Lease::holds() const {
  return ::fcntl(file_, F_GETLEASE) == type_;
}

}  // namespace seekless
