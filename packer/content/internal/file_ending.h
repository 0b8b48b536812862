// Tells files apart by the end of their names.
#pragma once

#include <string_view>

#include "runtime/asset_path.h"

namespace seekless {

// Capitals and small letters are the same.
inline bool has_ending(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         compare_folded(name.substr(name.size() - ending.size()), ending) == 0;
}

}  // namespace seekless
