#include "packer/host/folder_entries.h"

#include <algorithm>

namespace seekless {
namespace {

bool comes_before(const FolderEntry& a, const FolderEntry& b) {
  const auto key = [](const FolderEntry& entry, size_t at) {
    if (at < entry.name.size()) return int{static_cast<unsigned char>(entry.name[at])};
    return entry.is_folder && at == entry.name.size() ? int{'/'} : -1;
  };
  const size_t common =
      static_cast<size_t>(std::ranges::mismatch(a.name, b.name).in1 - a.name.begin());
  return key(a, common) < key(b, common);
}

}  // namespace

Result<std::vector<FolderEntry>> list_folder(const std::string& folder) {
  auto entries = find_entries(folder);
  if (entries) std::ranges::sort(*entries, comes_before);
  return entries;
}

}  // namespace seekless
