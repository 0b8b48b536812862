// Errors of the runtime as the packer tells them.
#pragma once

#include "packer/base/error.h"
#include "packer/host/os_error.h"
#include "runtime/error.h"

namespace seekless {

// The operating system failed, so nobody has seen the bytes. Not for a file that isn't there, or
// isn't of the right kind, that can be said.
inline bool is_unseen(const runtime::Error& error) {
  return error.result == SKL_IO || error.result == SKL_OUT_OF_MEMORY;
}

inline std::string message_of(const runtime::Error& error) {
  const std::string advice = advice_for_os_error(error.os_error);
  return advice.empty() ? error.message : error.message + "; " + advice;
}

inline std::unexpected<Error> from_runtime(const runtime::Error& error) {
  const bool is_damage = error.result == SKL_DAMAGED || error.result == SKL_UNSUPPORTED;
  return std::unexpected(
      Error{is_damage ? ErrorKind::damaged : ErrorKind::failed, message_of(error)});
}

}  // namespace seekless
