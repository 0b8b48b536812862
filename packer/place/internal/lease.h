// Owns a lease on a file: the kernel grants it only if nobody else has the file open, and tells the
// holder before anybody opens it.
#pragma once

#include <expected>

namespace seekless {

class Lease {
 public:
  enum class Against {
    writers,  // `file` is open for reading only
    everybody,
  };
  // The file stays open as long as this object lives. Fails with EAGAIN if somebody has it open or
  // mapped (even if the mapping's descriptor is closed), with EACCES if it belongs to another user,
  // and with EINVAL if the file system grants no leases.
  static std::expected<Lease, int> take(int file, Against whom);
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&&) = delete;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  // Ends the lease: programs that were waiting open the file.
  ~Lease();

  // Returns false once somebody opens the file. That program waits until the lease ends, but at
  // most for /proc/sys/fs/lease-break-time.
  bool holds() const;

 private:
  Lease(int file, int type) : file_(file), type_(type) {}

  int file_;  // -1 once the lease was moved to another object
  int type_;
};

}  // namespace seekless
