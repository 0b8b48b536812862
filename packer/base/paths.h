// Splits paths at '/', as plain text. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Returns the last component: "c" for "a/b/c" and for "c".
constexpr std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Returns the folder: "a/b" for "a/b/c", "/" for "/c", "." for "c".
constexpr std::string_view folder_above(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

// Returns the path of a file in the same folder: "a/c" for "a/b" and "c".
inline std::string path_beside(std::string_view path, std::string_view name) {
  return std::string(path.substr(0, path.size() - file_name(path).size())) += name;
}

// Returns true if one path is below the other or the same. It compares texts, so both must have the
// same form (absolute, or canonical).
constexpr bool lies_in(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

// Returns the paths that don't lie in another one, each once, in their order.
std::vector<std::string> outermost(const std::vector<std::string>& paths);

}  // namespace seekless
