// Converts the runtime's errors to the packer's.
#pragma once

#include "packer/base/error.h"
#include "packer/host/os_error.h"
#include "runtime/error.h"

namespace seekless {

// Returns true if the operating system failed, so the bytes couldn't be read. A missing file, or
// one of the wrong kind, doesn't count.
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
