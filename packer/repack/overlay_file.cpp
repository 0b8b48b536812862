#include "packer/repack/overlay_file.h"

#include "packer/host/fence.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/output/folder_tree.h"

namespace seekless {
namespace {

Result<bool> is_overlay_file(const std::string& path) {
  const auto bytes = open_source(path);
  if (!bytes) return std::unexpected(bytes.error());
  const auto is_zip = looks_like_zip(**bytes);
  if (!is_zip || !*is_zip) return is_zip;
  const auto directory = read_zip_directory(**bytes);
  // We didn't make an archive that can't be read.
  return directory && is_overlay(*directory);
}

}  // namespace

Result<std::vector<std::string>> overlays_in(const std::string& folder) {
  const auto found = list_folder(folder);
  if (!found) return std::unexpected(found.error());
  std::vector<std::string> names;
  for (const FolderEntry& entry : *found) {
    if (entry.is_folder || entry.is_link) continue;
    const auto is_ours = is_overlay_file(folder + "/" + entry.name);
    if (!is_ours) return std::unexpected(is_ours.error());
    if (*is_ours) names.push_back(entry.name);
  }
  return names;
}

Result<std::vector<std::string>> remove_overlays(const std::string& folder) {
  const auto fence = Fence::around(folder);
  if (!fence) return std::unexpected(fence.error());
  auto names = overlays_in(folder);
  if (!names) return names;
  for (const std::string& name : *names)
    if (auto removed = remove_file(folder + "/" + name); !removed)
      return std::unexpected(removed.error());
  if (names->empty()) return names;
  if (auto synced = sync_folders(folder, *names); !synced) return std::unexpected(synced.error());
  return names;
}

}  // namespace seekless
