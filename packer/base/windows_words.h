// Reads paths as people on Windows write them on a command line. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace seekless {

// Returns the path with '/' between names.
inline std::string with_slashes(std::string path) {
  std::ranges::replace(path, '\\', '/');
  return path;
}

// Returns the path in front of a quotation mark that was meant to end it: Windows takes the
// backslash before the mark in "C:\Dir\" for an escape, and adds what follows to the path. Returns
// an empty text if the word has no such mark.
std::string_view path_before_swallowed_quote(std::string_view word);

// Returns what follows the first `count` words of a command line, as it was typed: including the
// space in front and all quotation marks. Returns an empty text if there are fewer words.
std::string_view text_after_words(std::string_view line, size_t count);

// Returns true if the text contains, outside of quotation marks, a character that is special to
// cmd.
bool means_something_to_cmd(std::string_view text);

// Quotes a word so that C libraries parse it as one: if it needs quotes, backslashes before quotes
// are doubled. `for_batch`: cmd parses the word first, for a .bat file, and has special characters
// of its own.
std::string as_one_word(std::string_view word, bool for_batch);

}  // namespace seekless
