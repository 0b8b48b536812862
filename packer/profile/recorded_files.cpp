#include "packer/profile/recorded_files.h"

#include "packer/host/files.h"
#include "packer/profile/unmapped.h"

namespace seekless {

Result<void> RecordedFiles::add_path(std::string_view path) {
  if (!is_of_the_system(path)) paths_.emplace(path);
  return {};
}

Content RecordedFiles::content() const {
  Content content;
  for (const std::string& path : paths_) {
    if (kind_of_path(path) != PathKind::file) continue;
    const auto source = open_source(path);
    if (!source) continue;
    content.sources.push_back({.path = content.paths.add(path),
                               .size_bytes = (*source)->size_bytes(),
                               .is_link = canonical_path(path) != path});
  }
  return content;
}

}  // namespace seekless
