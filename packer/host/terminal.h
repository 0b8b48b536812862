// Asks the operating system about the terminal.
#pragma once

#include <cstddef>

namespace seekless {

enum class StandardStream { input, output, error };

inline constexpr size_t kDefaultColumns = 80;
// A terminal that says it has fewer doesn't know.
inline constexpr size_t kFewestColumns = 20;

bool is_terminal(StandardStream stream);
// Characters in a line of standard output or standard error; the default if neither is a terminal.
size_t terminal_width();

}  // namespace seekless
