// Asks the operating system about the terminal.
#pragma once

#include <cstddef>

namespace seekless {

enum class StandardStream { output, error };

bool is_terminal(StandardStream stream);
// Characters in a line of standard output or standard error; 80 if neither is a terminal.
size_t terminal_width();

}  // namespace seekless
