// A handle for poll() and similar calls: an eventfd, a pipe, or a Windows event. Each system has
// its own file beside wait_handle_posix.cpp.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/error.h"

namespace seekless::runtime {

class WaitHandle {
 public:
  // Errors: IO.
  static Result<std::unique_ptr<WaitHandle>> make();
  ~WaitHandle();
  WaitHandle(const WaitHandle&) = delete;
  WaitHandle& operator=(const WaitHandle&) = delete;

  intptr_t get() const;
  // Returns false if other code has closed it; then it no longer signals anything.
  bool is_own() const;
  // Any thread may call it at any time.
  void signal() const;
  void clear() const;

 private:
  struct Ends;  // the system's handles
  explicit WaitHandle(std::unique_ptr<Ends> ends);
  const std::unique_ptr<Ends> ends_;
};

}  // namespace seekless::runtime
