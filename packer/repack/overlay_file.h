// Recognizes overlay archives by the comment that all of them have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/zip_directory.h"

namespace seekless {

inline constexpr std::string_view kOverlayTitle = "seekless overlay: ";

inline bool is_overlay(const ZipDirectory& directory) {
  return directory.comment().starts_with(kOverlayTitle);
}

// Returns the names of the overlays directly in `folder`, sorted. Links aren't followed.
Result<std::vector<std::string>> overlays_in(const std::string& folder);

// Deletes the overlays permanently; everything they hold is also in the archives beside them.
// Returns their names.
Result<std::vector<std::string>> remove_overlays(const std::string& folder);

}  // namespace seekless
