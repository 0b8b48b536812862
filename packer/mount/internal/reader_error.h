// Converts errors of the reader's C functions to the packer's.
#pragma once

#include "packer/host/runtime_error.h"
#include "runtime/include/seekless.h"

namespace seekless {

inline std::unexpected<Error> from_reader(const skl_error& error) {
  return from_runtime(
      {.result = error.result, .message = error.message, .os_error = error.os_error});
}

}  // namespace seekless
