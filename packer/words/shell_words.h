// Writes a command's words so that a shell reads them as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace seekless {

// Selects the quoting rules: those of sh and similar shells, or those of Windows programs.
enum class ShellKind { posix, windows };

// Returns the word, in quotes if it needs them. Bytes that a terminal wouldn't show as they are
// (control characters, malformed UTF-8) are written as $'\x1b', which bash and zsh read.
std::string shell_word(std::string_view word, ShellKind kind);

// Returns true if a shell treats the word, in front of a command, as an assignment: NAME=VALUE.
bool is_variable_setting(std::string_view word);

// Returns the words with spaces between them.
std::string shell_line(std::span<const std::string> words, ShellKind kind);

}  // namespace seekless
