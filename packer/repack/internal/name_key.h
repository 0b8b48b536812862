// Finds names that some reader treats as equal although case, slashes or encoding differ. Pure.
#pragma once

#include <string>
#include <string_view>

#include "runtime/asset_path.h"

namespace seekless {

// Returns a key that is the same for names that some reader treats as equal.
inline std::string name_key(std::string_view name) {
  std::string key;
  for (const char c : name) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    if (is_ascii) key += c == '\\' ? '/' : fold_case(c);
    if (!is_ascii && !key.ends_with('?')) key += '?';
  }
  return key;
}

}  // namespace seekless
