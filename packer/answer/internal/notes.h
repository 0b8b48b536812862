// Prints the notes below an answer's table: a list of at most five lines, and the rest with
// --verbose.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace seekless {

struct AnswerNotes {
  std::vector<std::string> brief;  // one line each, unless names are long; the most important first
  std::vector<std::string> more;   // shown only with --verbose
};

// Returns lines of at most `columns` characters, each with a newline.
std::string to_text(const AnswerNotes& notes, bool is_verbose, size_t columns);

}  // namespace seekless
