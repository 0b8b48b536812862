#include "packer/repack/overlay_file.h"

#include "packer/host/fence.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/output/folder_tree.h"

namespace seekless {
namespace {

Result<bool> is_overlay_file(const std::string& path) {
  SKL_TRY(const auto bytes, open_source(path));
  const auto is_zip = looks_like_zip(*bytes);
  if (!is_zip || !*is_zip) return is_zip;
  const auto directory = read_zip_directory(*bytes);
  // An archive that can't be read isn't one of ours.
  return directory && is_overlay(*directory);
}

}  // namespace

Result<std::vector<std::string>> overlays_in(const std::string& folder) {
  SKL_TRY(const auto found, list_folder(folder));
  std::vector<std::string> names;
  for (const FolderEntry& entry : found) {
    if (entry.is_folder || entry.is_link) continue;
    SKL_TRY(const auto is_ours, is_overlay_file(folder + "/" + entry.name));
    if (is_ours) names.push_back(entry.name);
  }
  return names;
}

Result<std::vector<std::string>> remove_overlays(const std::string& folder) {
  SKL_TRY(const auto fence, Fence::around(folder));
  auto names = overlays_in(folder);
  if (!names) return names;
  for (const std::string& name : *names) SKL_TRY_DO(remove_file(folder + "/" + name));
  if (names->empty()) return names;
  SKL_TRY_DO(sync_folders(folder, *names));
  return names;
}

}  // namespace seekless
