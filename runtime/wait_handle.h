// What the system's calls can wait for together with other things: an eventfd, a pipe, or an event
// of Windows. Each system has a file for it beside wait_handle_posix.cpp.
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
  // False: somebody else has closed it, and it tells nothing any more.
  bool is_own() const;
  // Any thread, at any time.
  void signal() const;
  void clear() const;

 private:
  struct Ends;  // what the system has for it
  explicit WaitHandle(std::unique_ptr<Ends> ends);
  const std::unique_ptr<Ends> ends_;
};

}  // namespace seekless::runtime
