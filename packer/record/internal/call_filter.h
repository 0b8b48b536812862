// Builds the filter (seccomp) that the kernel runs at each system call of the recorded program.
// Only calls on files stop for the recorder; all others run at full speed.
#pragma once

#include <vector>

#include <linux/filter.h>

namespace seekless {

std::vector<sock_filter> make_call_filter();

// Sets the filter permanently, for the calling process and all that it starts. Returns 0 or an
// errno. Allocates nothing, because it is called between fork and exec.
int install_call_filter(const std::vector<sock_filter>& filter) noexcept;

}  // namespace seekless
