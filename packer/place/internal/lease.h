// A lease on a file: the kernel gives it only where nobody else has the file open, and tells its
// holder before anybody opens it.
#pragma once

#include <expected>

namespace seekless {

class Lease {
 public:
  enum class Against {
    writers,  // `file` is open to read only
    everybody,
  };
  // The file stays open for as long as this lives. Error: why not. EAGAIN: somebody has it open so,
  // or mapped, even where the descriptor of that is closed; EACCES: it is another user's; EINVAL:
  // the file system gives none.
  static std::expected<Lease, int> take(int file, Against whom);
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&&) = delete;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  // From then on whoever has been waiting opens the file.
  ~Lease();

  // False once somebody opens the file, who waits for this to end: for
  // /proc/sys/fs/lease-break-time at most.
  bool holds() const;

 private:
  Lease(int file, int type) : file_(file), type_(type) {}

  int file_;  // -1: moved away
  int type_;
};

}  // namespace seekless
