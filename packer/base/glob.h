// Patterns for paths, as users write them in options and rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Whether the whole of `path` matches. `*` matches any run of characters but '/', `**` any run at
// all ("a/**" is everything below a, "**/x" an x at any depth, the top included), `?` one character
// but '/', `[abc]`, `[a-z]` and `[!a]` one of a set; a backslash takes the next character as it is.
// Brackets match themselves, too, with all that stands between them: folders are called so.
// A pattern without '/' is matched against the last component alone, so "*.dds" finds every one.
// Bytes are compared as they are. A pattern that begins with a drive's letter ("C:\Games\**") or
// two backslashes is for Windows' paths: a backslash is a slash, in the path, too, and letters
// match in either case. Takes time in proportion to the product of the two lengths.
bool matches_glob(std::string_view pattern, std::string_view path);

// Whether the path matches at least one of the patterns.
bool matches_any_glob(const std::vector<std::string>& patterns, std::string_view path);

// Whether at least one of the patterns matches everything below the folder, so that nobody needs to
// look into it: "a/**" for a, and for a/b.
bool any_glob_covers_folder(const std::vector<std::string>& patterns, std::string_view folder);
// Whether at least one of them matches the folder's own path, or what lies in it: for a link that
// has no content of its own.
bool any_glob_names_folder(const std::vector<std::string>& patterns, std::string_view folder);

}  // namespace seekless
