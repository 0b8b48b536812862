// Finds an entry's name inside its archive, whether content keeps archives apart or merges them
// into one name space. Pure.
#pragma once

#include <string>
#include <string_view>

#include "packer/base/paths.h"
#include "packer/content/content.h"

namespace seekless {

// `path` belongs to an asset at `place`. If archives are kept apart, it begins with the archive's
// path.
inline std::string_view entry_name(const Content& content, const Place& place,
                                   std::string_view path) {
  const std::string_view source = content.sources[place.source].path;
  const std::string archive = std::string(file_name(source)) + "/";
  const size_t at = path.find(archive);
  return at == std::string_view::npos ? path : path.substr(at + archive.size());
}

}  // namespace seekless
