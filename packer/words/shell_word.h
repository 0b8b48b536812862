// Writes words for a command line that a person copies into a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace seekless {

// Returns the word, in quotation marks if a shell would take it apart otherwise.
std::string shell_word(std::string_view word);
// Returns the words with spaces between them.
std::string shell_words(std::span<const std::string> words);

}  // namespace seekless
