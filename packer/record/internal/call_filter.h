// Builds the program (seccomp) that the kernel runs at each system call of the recorded program, so
// that only calls on files stop for the recorder and all others run at full speed.
#pragma once

#include <vector>

#include <linux/filter.h>

namespace seekless {

std::vector<sock_filter> make_call_filter();

// Sets the filter for the calling process and all that it starts, permanently. Returns 0 or an
// errno. Called between fork and exec, so it allocates nothing.
int install_call_filter(const std::vector<sock_filter>& filter) noexcept;

}  // namespace seekless
