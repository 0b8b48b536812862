// Tells whether tests can check here what movers rely on.
#pragma once

#include <string>

#include "packer/place/mover.h"

namespace seekless {

inline constexpr const char* kUntold =
    "the temporary folder is on a file system whose files aren't moved: overlay, memory, network";

inline bool tells_who_has_files_open(const std::string& folder) {
  return mover_for(folder, [](std::string_view) {}).has_value();
}

}  // namespace seekless
