#include "packer/warm/warm_files.h"

#include "packer/host/files.h"

namespace seekless {

WarmFiles find_files(const std::vector<std::string>& paths) {
  WarmFiles found;
  for (const std::string& path : paths) {
    FileExtents file;
    file.path = path;
    if (kind_of_path(path) != PathKind::file) {
      found.missing.push_back(path);
    } else if (auto extents = read_extents(path)) {
      file = std::move(*extents);
    } else if (const auto source = open_source(path)) {
      file.size_bytes = (*source)->size_bytes();
      found.unplaced.push_back(path);
    } else {
      found.missing.push_back(path);
    }
    found.files.push_back(std::move(file));
  }
  return found;
}

}  // namespace seekless
