// What to do about errors of the operating system that say nothing of the file they came with.
#pragma once

#include <string>

namespace seekless {

// No descriptors, no memory, no threads, a disk that fails. Empty for all others.
std::string advice_for_os_error(int os_error);

}  // namespace seekless
