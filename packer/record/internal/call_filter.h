// The program that the kernel runs at each system call of what is recorded (seccomp), so that only
// calls about files stop for the recorder, and all others run at full speed.
#pragma once

#include <vector>

#include <linux/filter.h>

namespace seekless {

std::vector<sock_filter> make_call_filter();

// Puts the filter on the calling process, for good, and on whatever it starts. Returns 0 or an
// errno. To be called between fork and exec: allocates nothing.
int install_call_filter(const std::vector<sock_filter>& filter) noexcept;

}  // namespace seekless
