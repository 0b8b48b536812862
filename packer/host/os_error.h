// What to say and do about calls to the operating system that failed.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// No descriptors, no memory, no threads, a disk that fails. Empty for errors that say nothing but
// of the file they came with.
std::string advice_for_os_error(int os_error);

// A call to the operating system failed; `action` is a verb: "open", "write".
std::unexpected<Error> failed_call(const std::string& file, const std::string& action, int os_error,
                                   const std::string& advice = {});

}  // namespace seekless
