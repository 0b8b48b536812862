// Finds games that GOG's installers put into separate folders: on Linux a folder with a file
// "gameinfo", on Windows one with goggame-NUMBER.info.
#include <string>
#include <utility>
#include <vector>

#include "packer/base/windows_words.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/host/native_path.h"
#include "packer/library/internal/gog_info.h"
#include "packer/library/internal/json_manifest.h"
#include "packer/library/internal/launchers.h"

namespace seekless {
namespace {

void add_by_gameinfo(const LauncherRoot& root, const std::string& folder, const std::string& file,
                     GameCollector& found) {
  auto text = read_text(file, kMostManifestBytes);
  if (found.value_or_fault(text) == nullptr) return;
  auto info = parse_gameinfo(*text, file);
  const GogInfo* game = found.value_or_fault(info);
  if (game == nullptr) return;
  std::vector<std::string> command;
  if (found.has_file(folder + "/start.sh")) command = {folder + "/start.sh"};
  found.add({.launcher = root.launcher,
             .id = game->id,
             .name = game->name,
             .folder = folder,
             .manifest = file,
             .command = std::move(command)});
}

void add_by_goggame(const LauncherRoot& root, const std::string& folder, const std::string& file,
                    GameCollector& found) {
  auto json = read_manifest(file, kMostManifestBytes);
  const ManifestJson* info = found.value_or_fault(json);
  if (info == nullptr) return;
  InstalledEntry entry = gog_info_entry(*info);
  std::vector<std::string> command;
  const std::string program = folder + "/" + with_slashes(entry.program);
  // Linux can't start a Windows program.
  if (has_windows_names() && !entry.program.empty() && !program.contains("/../") &&
      found.has_file(program))
    command = {program};
  found.add({.launcher = root.launcher,
             .id = entry.id,
             .name = entry.name.empty() ? folder.substr(folder.rfind('/') + 1) : entry.name,
             .folder = folder,
             .manifest = file,
             .command = std::move(command)});
}

void look_at_gog_folder(const LauncherRoot& root, const std::string& folder, GameCollector& found) {
  if (const std::string file = folder + "/gameinfo"; found.has_file(file))
    return add_by_gameinfo(root, folder, file, found);
  auto entries = list_folder(folder);
  const auto* listed = found.value_or_fault(entries);
  if (listed == nullptr) return;
  for (const FolderEntry& entry : *listed)
    if (!entry.is_folder && entry.name.starts_with("goggame-") && entry.name.ends_with(".info"))
      return add_by_goggame(root, folder, folder + "/" + entry.name, found);
}

}  // namespace

void find_gog_games(const LauncherRoot& root, GameCollector& found) {
  // A game that was removed by hand is still listed.
  for (const std::string& folder : root.games)
    if (found.has_folder(folder)) look_at_gog_folder(root, folder, found);
  if (root.folder.empty() || !found.has_folder(root.folder) || !found.is_new(root.folder)) return;
  auto entries = list_folder(root.folder);
  const auto* listed = found.value_or_fault(entries);
  if (listed == nullptr) return;
  for (const FolderEntry& entry : *listed)
    if (entry.is_folder) look_at_gog_folder(root, root.folder + "/" + entry.name, found);
}

}  // namespace seekless
