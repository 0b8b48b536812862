// Finds the games of Epic's own launcher on Windows, which keeps a manifest file for each game.
#include <string>
#include <utility>

#include "packer/base/windows_words.h"
#include "packer/host/folder_entries.h"
#include "packer/library/internal/json_manifest.h"
#include "packer/library/internal/launchers.h"

namespace seekless {

void find_epic_games(const LauncherRoot& root, GameCollector& found) {
  if (!found.has_folder(root.folder) || !found.is_new(root.folder)) return;
  auto entries = list_folder(root.folder);
  const auto* listed = found.value_or_fault(entries);
  if (listed == nullptr) return;
  for (const FolderEntry& file : *listed) {
    if (file.is_folder || !file.name.ends_with(".item")) continue;
    const std::string path = root.folder + "/" + file.name;
    auto json = read_manifest(path, kMostManifestBytes);
    const ManifestJson* manifest = found.value_or_fault(json);
    if (manifest == nullptr) continue;
    InstalledEntry entry = epic_entry(*manifest);
    if (entry.folder.empty()) continue;
    entry.folder = with_slashes(std::move(entry.folder));
    found.add({.launcher = Launcher::epic,
               .id = entry.id,
               .name = entry.name.empty() ? entry.id : entry.name,
               .folder = entry.folder,
               .manifest = path,
               .told_bytes = entry.bytes});
  }
}

}  // namespace seekless
