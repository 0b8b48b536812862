// Makes messages and advice for failed calls of the operating system.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// Advises on a lack of descriptors, memory or threads, and on a failing disk. Returns an empty text
// for errors that concern only one file.
std::string advice_for_os_error(int os_error);

// Describes a failed call of the operating system; `action` is a verb: "open", "write".
std::unexpected<Error> failed_call(const std::string& file, const std::string& action, int os_error,
                                   const std::string& advice = {});

}  // namespace seekless
