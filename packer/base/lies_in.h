// Tells if one path is below another, by their text. So both must have the same form (absolute, or
// canonical), with '/'. Pure.
#pragma once

#include <string_view>

namespace seekless {

// `folder` itself counts as lying in it, too.
inline bool lies_in(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

}  // namespace seekless
