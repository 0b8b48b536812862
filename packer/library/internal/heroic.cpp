// Finds Heroic's games: games of Epic (installed by legendary), GOG (by gogdl) and Amazon (by
// nile), and games that the user added. legendary's own list counts as well, if Heroic uses it.
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/base/windows_words.h"
#include "packer/host/folder_entries.h"
#include "packer/host/native_path.h"
#include "packer/library/internal/json_manifest.h"
#include "packer/library/internal/launchers.h"

namespace seekless {
namespace {

using Titles = std::map<std::string, std::string>;

// One of the stores whose games Heroic installs. Paths are relative to its settings.
struct HeroicStore {
  const char* name;  // in heroic://launch/NAME/ID
  std::vector<std::string> installed;
  std::vector<std::string> catalogues;
  InstalledEntries (*entries_of)(const ManifestJson&);
};

const std::vector<HeroicStore>& heroic_stores() {
  static const std::vector<HeroicStore> stores = {
      {"legendary",
       {"/heroic/legendaryConfig/legendary/installed.json", "/legendary/installed.json"},
       {"/heroic/store_cache/legendary_library.json"},
       legendary_entries},
      {"gog",
       {"/heroic/gog_store/installed.json"},
       {"/heroic/store_cache/gog_library.json", "/heroic/gog_store/library.json"},
       gogdl_entries},
      {"nile",
       {"/heroic/nile_config/nile/installed.json"},
       {"/heroic/store_cache/nile_library.json", "/heroic/nile_config/nile/library.json"},
       nile_entries},
      {"sideload", {"/heroic/sideload_apps/library.json"}, {}, sideloaded_entries},
  };
  return stores;
}

// A game without a title gets its folder's name.
Titles titles_in(const std::string& settings, const HeroicStore& store, GameCollector& found) {
  Titles titles;
  for (const std::string& path : store.catalogues)
    if (found.has_file(settings + path)) {
      auto json = read_manifest(settings + path, kMostCatalogueBytes);
      if (const ManifestJson* list = found.value_or_fault(json)) titles.merge(titles_of(*list));
    }
  return titles;
}

std::string title_of(const InstalledEntry& entry, const Titles& titles) {
  if (!entry.name.empty()) return entry.name;
  const auto found = titles.find(entry.id);
  return found != titles.end() ? found->second : std::string(file_name(entry.folder));
}

std::vector<std::string> start_by_heroic(const LauncherRoot& root, const char* store,
                                         const std::string& id) {
  if (!root.is_flatpak) return {};
  return {"flatpak", "run", "com.heroicgameslauncher.hgl", "--no-gui",
          fmt::format("heroic://launch/{}/{}", store, id)};
}

void add_heroic_game(const LauncherRoot& root, const HeroicStore& store, const std::string& file,
                     InstalledEntry entry, const Titles& titles, GameCollector& found) {
  if (has_windows_names()) entry.folder = with_slashes(std::move(entry.folder));
  while (entry.folder.size() > 1 && entry.folder.ends_with('/')) entry.folder.pop_back();
  // If a game that the user added has no folder, its program's folder is used.
  if (entry.folder.empty() && entry.program.starts_with('/'))
    entry.folder = folder_above(entry.program);
  if (entry.folder.empty())
    return found.fault(damaged({.file = file,
                                .place = fmt::format("game '{}'", entry.id),
                                .expected = "the game's folder",
                                .found = "none"})
                           .error());
  found.add({.launcher = Launcher::heroic,
             .is_flatpak = root.is_flatpak,
             .id = entry.id,
             .name = title_of(entry, titles),
             .folder = entry.folder,
             .manifest = file,
             .told_bytes = entry.bytes,
             .command = start_by_heroic(root, store.name, entry.id)});
}

Error wrong_form(const std::string& file, const ManifestJson& json) {
  return damaged({.file = file,
                  .expected = "a list of installed games",
                  .found = fmt::format("JSON that is a {}", json.type_name()),
                  .advice = "Heroic writes the file anew when it starts"})
      .error();
}

void find_in_store(const LauncherRoot& root, const HeroicStore& store, GameCollector& found) {
  Titles titles;
  bool has_titles = false;
  for (const std::string& path : store.installed) {
    const std::string file = root.settings + path;
    if (!found.has_file(file) || !found.is_new(file)) continue;
    auto json = read_manifest(file, kMostCatalogueBytes);
    const ManifestJson* list = found.value_or_fault(json);
    if (list == nullptr) continue;
    auto entries = store.entries_of(*list);
    if (!entries) {
      found.fault(wrong_form(file, *list));
      continue;
    }
    if (!std::exchange(has_titles, true)) titles = titles_in(root.settings, store, found);
    for (InstalledEntry& entry : *entries)
      add_heroic_game(root, store, file, std::move(entry), titles, found);
  }
}

}  // namespace

void find_heroic_games(const LauncherRoot& root, GameCollector& found) {
  if (!found.has_folder(root.settings)) return;
  for (const HeroicStore& store : heroic_stores()) find_in_store(root, store, found);
}

}  // namespace seekless
