// Windows' numbers of errors, as the rest of the packer has them: as POSIX's.
#pragma once

#include <cstdint>

namespace seekless {

int errno_of(uint32_t os_error);  // of what GetLastError() said
int errno_of_last_error();

}  // namespace seekless
