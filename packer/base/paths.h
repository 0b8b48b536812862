// Paths as texts, with '/'. Pure.
#pragma once

#include <string_view>

namespace seekless {

// "c" of "a/b/c" and of "c".
constexpr std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// "a/b" of "a/b/c", "/" of "/c", "." of "c".
constexpr std::string_view folder_above(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

// Whether one path is below another, or the same: by their text, so both in the same form
// (absolute, or canonical).
constexpr bool lies_in(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

}  // namespace seekless
