// Errors of the runtime as the packer tells them.
#pragma once

#include "packer/host/error.h"
#include "runtime/error.h"

namespace seekless {

inline std::unexpected<Error> from_runtime(const runtime::Error& error) {
  const bool is_damage = error.result == SKL_DAMAGED || error.result == SKL_UNSUPPORTED;
  return std::unexpected(Error{is_damage ? ErrorKind::damaged : ErrorKind::failed, error.message});
}

}  // namespace seekless
