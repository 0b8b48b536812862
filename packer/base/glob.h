// Matches paths with patterns, as users write them in options and rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Returns true if the whole of `path` matches. `*` matches any number of characters except '/', and
// `**` any number of any characters ("a/**" is everything below a, "**/x" an x at any depth, also
// at the top). `?` matches one character except '/', and `[abc]`, `[a-z]` and `[!a]` one of a set;
// a backslash escapes the next character. Brackets and their content also match themselves, because
// folders have such names. A pattern without '/' is matched with the last component alone, so
// "*.dds" finds every such file. Bytes are compared exactly. A pattern that begins with a drive
// letter ("C:\Games\**") or two backslashes is for Windows paths: backslashes in pattern and path
// count as slashes, and the case of letters is ignored. Takes time in proportion to the product of
// the two lengths.
bool matches_glob(std::string_view pattern, std::string_view path);

// Returns true if the path matches at least one of the patterns.
bool matches_any_glob(const std::vector<std::string>& patterns, std::string_view path);

// Returns true if at least one pattern matches everything below the folder, so that it needn't be
// read: "a/**" for a, and for a/b.
bool any_glob_covers_folder(const std::vector<std::string>& patterns, std::string_view folder);
// Returns true if at least one pattern matches the folder's own path or anything in it. This is for
// a link that has no content of its own.
bool any_glob_names_folder(const std::vector<std::string>& patterns, std::string_view folder);

}  // namespace seekless
