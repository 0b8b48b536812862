// Finds Steam's games. libraryfolders.vdf lists libraries, which may lie on other disks; each
// library has a manifest for each game.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/base/windows_words.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "packer/library/internal/launchers.h"
#include "packer/library/internal/steam_manifest.h"
#include "packer/library/internal/vdf.h"

namespace seekless {
namespace {

constexpr std::string_view kCommonFilesId = "228980";  // "Steamworks Common Redistributables"
constexpr const char* kFlatpakSteam = "com.valvesoftware.Steam";

Result<TextNode> read_vdf(const std::string& path) {
  SKL_TRY(const auto text, read_text(path, kMostManifestBytes));
  return parse_vdf(text, path);
}

// In Steam's Flatpak, "/home/me/.local/share/Steam" means a folder in the Flatpak's own home.
std::string seen_from_outside(const std::string& path, const LauncherRoot& root,
                              GameCollector& found) {
  const std::string home = home_folder();
  if (root.flatpak_home.empty() || home.empty() || !lies_in(path, home)) return path;
  std::string moved = root.flatpak_home + path.substr(home.size());
  return found.has_folder(moved + "/steamapps") ? moved : path;
}

void add_listed_libraries(const LauncherRoot& root, const std::string& list,
                          std::vector<std::string>& libraries, GameCollector& found) {
  if (!found.has_any(list) || !found.is_new(list)) return;
  auto file = read_vdf(list);
  const TextNode* tree = found.value_or_fault(file);
  if (tree == nullptr) return;
  for (const std::string& path : steam_libraries(*tree)) {
    std::string library = seen_from_outside(path, root, found);
    if (has_windows_names()) library = with_slashes(std::move(library));
    if (found.has_folder(library))
      libraries.push_back(std::move(library));
    else
      found.fault(damaged({.file = list,
                           .place = fmt::format("library '{}'", path),
                           .expected = "a folder",
                           .found = "none",
                           .advice = "if it is on another disk, mount that"})
                      .error());
  }
}

std::vector<std::string> start_by_steam(const LauncherRoot& root, const std::string& id) {
  if (!root.is_flatpak) return {};
  return {"flatpak", "run", kFlatpakSteam, "-applaunch", id};
}

// Runtimes and Proton lie among the games, but have a toolmanifest.vdf.
bool is_tool(const SteamManifest& manifest, const std::string& folder, GameCollector& found) {
  return manifest.id == kCommonFilesId || found.has_any(folder + "/toolmanifest.vdf");
}

void add_steam_game(const LauncherRoot& root, const std::string& library, const std::string& path,
                    GameCollector& found) {
  auto file = read_vdf(path);
  const TextNode* tree = found.value_or_fault(file);
  if (tree == nullptr) return;
  const SteamManifest manifest = steam_manifest(*tree);
  if (!is_one_name(manifest.folder_name) || manifest.id.empty())
    return found.fault(
        damaged({.file = path,
                 .place = manifest.id.empty() ? "'appid'" : "'installdir'",
                 .expected = manifest.id.empty() ? "the game's number" : "the name of a folder",
                 .found = manifest.id.empty() || manifest.folder_name.empty()
                              ? "none"
                              : fmt::format("'{}'", manifest.folder_name),
                 .advice = "in Steam, verify the game's files"})
            .error());
  std::string folder = library + "/steamapps/common/" + manifest.folder_name;
  if (!manifest.is_installed && !found.has_any(folder)) return;
  if (is_tool(manifest, folder, found)) return;
  found.add({.launcher = Launcher::steam,
             .is_flatpak = root.is_flatpak,
             .id = manifest.id,
             .name = manifest.name.empty() ? manifest.folder_name : manifest.name,
             .folder = std::move(folder),
             .manifest = path,
             .told_bytes = manifest.bytes,
             .command = start_by_steam(root, manifest.id)});
}

void add_library(const LauncherRoot& root, const std::string& library, GameCollector& found) {
  const std::string apps = library + "/steamapps";
  if (!found.has_folder(apps) || !found.is_new(apps)) return;
  auto entries = list_folder(apps);
  const auto* listed = found.value_or_fault(entries);
  if (listed == nullptr) return;
  for (const FolderEntry& entry : *listed)
    if (!entry.is_folder && entry.name.starts_with("appmanifest_") && entry.name.ends_with(".acf"))
      add_steam_game(root, library, apps + "/" + entry.name, found);
}

}  // namespace

void find_steam_games(const LauncherRoot& root, GameCollector& found) {
  if (!found.has_folder(root.folder) || !found.is_new(root.folder)) return;
  std::vector<std::string> libraries = {root.folder};
  for (const char* list : {"/steamapps/libraryfolders.vdf", "/config/libraryfolders.vdf"})
    add_listed_libraries(root, root.folder + list, libraries, found);
  for (const std::string& library : libraries) add_library(root, library, found);
}

}  // namespace seekless
