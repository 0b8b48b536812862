#include "packer/warm/warm_files.h"

#include <map>
#include <string_view>
#include <utility>

#include "packer/host/files.h"
#include "packer/host/kept_elsewhere.h"
#include "packer/host/whole_files.h"

namespace seekless {

Wanted with_one_name_each(Wanted wanted) {
  const std::vector<WantedRange> ranges = wanted.take_ranges();
  std::map<std::pair<uint64_t, uint64_t>, std::string_view> names;  // keyed by device and inode
  std::vector<std::string_view> first_names;
  for (const std::string& path : wanted.paths()) {
    const auto file = identity_of(canonical_path(path));
    const bool is_told = file && file->inode != 0;
    first_names.emplace_back(
        is_told ? names.try_emplace({file->device, file->inode}, path).first->second : path);
  }
  Wanted by_first_names;
  for (const WantedRange& range : ranges)
    by_first_names.add(first_names[range.file], range.offset_bytes, range.length_bytes);
  return by_first_names;
}

WarmFiles find_files(const std::vector<std::string>& paths) {
  WarmFiles found;
  for (const std::string& path : paths) {
    FileExtents file;
    file.path = path;
    if (kind_of_path(path) != PathKind::file) {
      found.missing.push_back(path);
    } else if (is_kept_elsewhere(path)) {
      found.kept_elsewhere.push_back(path);
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
