// Applies Windows' rules for file names, on any system: traces contain such paths, and packs and
// zips contain names that Windows can't give to files. Pure.
#pragma once

#include <string>
#include <string_view>

namespace seekless {

// Windows accepts both kinds of slash between names.
constexpr bool is_slash_of_windows(char c) {
  return c == '/' || c == '\\';
}

// Returns true if the path begins with a drive letter ("C:\Games", "C:") or two backslashes.
bool is_path_of_windows(std::string_view path);

// Returns one text for all spellings of a path that Windows treats as the same: with '/' between
// names, and small letters of nearly all alphabets, as NTFS has them. The length in bytes stays the
// same.
std::string one_windows_spelling(std::string_view path);

// Explains why Windows would open something else, or nothing, if a file had this path: "'aux.txt',
// which names a device". Returns an empty text if Windows accepts each component as a file's name.
std::string windows_name_fault(std::string_view path);

}  // namespace seekless
