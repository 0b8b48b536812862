// What the runtime's parts hand up when they fail; the C boundary turns it into skl_error.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "runtime/include/seekless.h"

namespace seekless::runtime {

inline constexpr uint64_t kNoOffset = UINT64_MAX;

struct Error {
  skl_result result = SKL_IO;
  std::string message;
  int os_error = 0;
  uint64_t offset_bytes = kNoOffset;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> damaged(std::string message, uint64_t offset_bytes = kNoOffset) {
  return std::unexpected(Error{SKL_DAMAGED, std::move(message), 0, offset_bytes});
}

}  // namespace seekless::runtime
