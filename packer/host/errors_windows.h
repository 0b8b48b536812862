// Translates Windows' error numbers to those of POSIX, which the rest of the packer uses.
#pragma once

#include <cstdint>

namespace seekless {

int errno_of(uint32_t os_error);  // `os_error` is a result of GetLastError().
int errno_of_last_error();

}  // namespace seekless
