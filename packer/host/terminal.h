// Asks the operating system about the terminal: its width, and whose it is.
#pragma once

#include <cstddef>

namespace seekless {

enum class StandardStream { input, output, error };

inline constexpr size_t kDefaultColumns = 80;
// If a terminal reports fewer columns, it doesn't know its width.
inline constexpr size_t kFewestColumns = 20;

bool is_terminal(StandardStream stream);
// Returns the width of the terminal at standard output or standard error; a default if neither is a
// terminal.
size_t terminal_width();

// Returns true if the terminal was opened for this process alone and closes with it, as after a
// double click on Windows.
bool has_own_terminal();
// Waits until a key is pressed there.
void wait_for_key();

}  // namespace seekless
