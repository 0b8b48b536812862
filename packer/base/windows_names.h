// How Windows names files, whatever system this is: traces hold such paths, and packs and zips hold
// names that it doesn't give to files. Pure.
#pragma once

#include <string>
#include <string_view>

namespace seekless {

// Either one that Windows takes between names.
constexpr bool is_slash_of_windows(char c) {
  return c == '/' || c == '\\';
}

// Whether it begins with a drive's letter ("C:\Games", "C:") or two backslashes.
bool is_path_of_windows(std::string_view path);

// The same text for all spellings of a path that Windows takes for one: '/' between names, and
// small letters of Latin, Greek, Cyrillic and Armenian. It has as many bytes as `path`.
std::string one_windows_spelling(std::string_view path);

// Why Windows would open something else, or nothing, by this path below a folder, with '/':
// "'aux.txt', which names a device". Empty if each of its parts can be a file's name.
std::string windows_name_fault(std::string_view path);

}  // namespace seekless
