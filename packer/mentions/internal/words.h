// Finds words in a file's bytes, text or not, that may name another file. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "packer/base/ascii.h"

namespace seekless {

// Shorter words occur in every file by chance; longer ones are data.
inline constexpr size_t kShortestWord = 3;
inline constexpr size_t kLongestWord = 200;

// Returns true for characters that file names use in practice. A space isn't one, because it
// separates words.
constexpr bool is_of_word(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '.' || c == '/' || c == '\\' || c == '-' ||
         c == '+';
}

// Turns a word into the form in which paths are compared: lower case, '/' as separator, no dots and
// slashes at the ends.
std::string as_name(std::string_view word);

// Calls `use(word)` for each word, unchanged.
template <typename Use>
void for_each_word(std::string_view bytes, const Use& use) {
  size_t begin = 0;
  for (size_t i = 0; i <= bytes.size(); ++i) {
    if (i < bytes.size() && is_of_word(bytes[i])) continue;
    const size_t length = i - begin;
    if (length >= kShortestWord && length <= kLongestWord) use(bytes.substr(begin, length));
    begin = i + 1;
  }
}

}  // namespace seekless
