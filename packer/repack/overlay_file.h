// By what an overlay archive is known again: the comment that all of them have.
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

// The names of those right in `folder`, sorted; links aren't followed.
Result<std::vector<std::string>> overlays_in(const std::string& folder);

// Deletes them, for good: all that they hold lies in the archives beside them. Returns their names.
Result<std::vector<std::string>> remove_overlays(const std::string& folder);

}  // namespace seekless
