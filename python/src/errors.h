// Raises the extension's errors as exceptions of the package.
#pragma once

#include <string>

#include "packer/base/error.h"
#include <seekless.hpp>

namespace seekless::python {

// Raises UsageError, DamagedError or Error from seekless.errors. Needs the GIL.
[[noreturn]] void raise(const Error& error);
// Raises the reader's errors in the same way; NOT_FOUND becomes NotFoundError.
[[noreturn]] void raise(const skl::Error& error);

template <typename Result>
auto value_or_raise(Result&& result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<typename std::decay_t<Result>::value_type>)
    return *std::forward<Result>(result);
}

// Returns "failed", "usage" or "damaged".
const char* name_of(ErrorKind kind);

}  // namespace seekless::python
