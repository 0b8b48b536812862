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
// an empty text if the word is none of these.
std::string_view path_before_swallowed_quote(std::string_view word);

}  // namespace seekless
