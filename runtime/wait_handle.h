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

  intptr_t get() const { return waits_; }
  // Any thread, at any time.
  void signal() const;
  void clear() const;

 private:
  WaitHandle(intptr_t waits, intptr_t signals) : waits_(waits), signals_(signals) {}
  const intptr_t waits_;
  const intptr_t signals_;  // the pipe's other end, or the same
};

}  // namespace seekless::runtime
