// Finds the games of Debian's own packages: dpkg's status file names the packages of the section
// "games", and each has a list of its files.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/library/game_content.h"
#include "packer/library/internal/debian_packages.h"
#include "packer/library/internal/launchers.h"

namespace seekless {
namespace {

constexpr uint64_t kMostStatusBytes = uint64_t{128} << 20;

std::string list_of_package(const std::string& info, const DebianPackage& package,
                            GameCollector& found) {
  for (const std::string& name : {package.name, package.name + ":" + package.architecture})
    if (std::string path = info + name + ".list"; found.has_file(path)) return path;
  return {};
}

DebianGames installed_games(const std::string& system, GameCollector& found) {
  DebianGames games;
  const std::string status = system + "var/lib/dpkg/status";
  if (!found.has_file(status)) return games;
  auto text = read_text(status, kMostStatusBytes);
  if (found.value_or_fault(text) == nullptr) return games;
  for (const DebianPackage& package : packages_of_games(*text)) {
    const std::string path = list_of_package(system + "var/lib/dpkg/info/", package, found);
    if (path.empty()) continue;
    auto list = read_text(path, kMostCatalogueBytes);
    if (found.value_or_fault(list) != nullptr) add_package_list(*list, package.name, games);
  }
  return games;
}

// Adds folders that belong to no package, such as data that the user put there.
void add_unpackaged(const std::string& system, DebianGames& games, GameCollector& found) {
  const std::string folder = system + "usr/share/games";
  if (!found.has_folder(folder)) return;
  auto entries = list_folder(folder);
  const auto* listed = found.value_or_fault(entries);
  if (listed == nullptr) return;
  for (const FolderEntry& entry : *listed)
    if (entry.is_folder) games.folders["/usr/share/games/" + entry.name];
}

// Some games keep plugins and programs in /usr/lib, apart from their data in /usr/share. Returns
// the folders of the same name that are there.
std::vector<std::string> parts_of_game(const std::string& system, std::string_view name,
                                       const DebianGames& games, GameCollector& found) {
  std::vector<std::string> parts;
  for (const char* above : {"usr/share/games/", "usr/share/", "usr/lib/games/", "usr/lib/"}) {
    std::string below = fmt::format("{}{}", above, name);
    if (games.folders.contains("/" + below) && found.has_folder(system + below))
      parts.push_back("/" + std::move(below));
  }
  return parts;
}

bool is_in_lib(const std::string& folder) {
  return folder.starts_with("/usr/lib/");
}

// Returns true if the game's other part is larger. If both have the same size, the one in /usr/lib
// is the lesser.
bool is_lesser_part(const std::string& system, const std::string& folder, const DebianGames& games,
                    GameCollector& found) {
  const auto parts = parts_of_game(system, file_name(folder), games, found);
  if (parts.size() < 2) return false;
  const auto bytes_of = [&](const std::string& part) {
    return look_at_content(system + part.substr(1), {.most_opened = 0}).bytes;
  };
  const uint64_t least_bytes = bytes_of(folder) + (is_in_lib(folder) ? 0 : 1);
  return std::ranges::any_of(parts, [&](const std::string& part) {
    return is_in_lib(part) != is_in_lib(folder) && bytes_of(part) >= least_bytes;
  });
}

}  // namespace

void find_debian_games(const LauncherRoot& root, GameCollector& found) {
  DebianGames games = installed_games(root.folder, found);
  add_unpackaged(root.folder, games, found);
  for (auto& [folder, packages] : games.folders) {
    std::string path = root.folder + folder.substr(1);
    if (!found.has_folder(path) || is_lesser_part(root.folder, folder, games, found)) continue;
    std::vector<std::string> command;
    if (std::string program = program_of_folder(folder, games.programs); !program.empty())
      command = {std::move(program)};
    found.add({.launcher = Launcher::debian,
               .id = packages.empty() ? "" : packages.front(),
               .name = std::string(file_name(folder)),
               .folder = std::move(path),
               .manifest = packages.empty() ? root.folder + "usr/share/games"
                                            : root.folder + "var/lib/dpkg/status",
               .command = std::move(command)});
  }
}

}  // namespace seekless
