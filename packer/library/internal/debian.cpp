// Finds the games of Debian's own packages: dpkg's status file names the packages of the section
// "games", and each has a list of its files.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
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

// Adds folders that nobody's package has, such as data that the user put there.
void add_unpackaged(const std::string& system, DebianGames& games, GameCollector& found) {
  const std::string folder = system + "usr/share/games";
  if (!found.has_folder(folder)) return;
  auto entries = list_folder(folder);
  const auto* listed = found.value_or_fault(entries);
  if (listed == nullptr) return;
  for (const FolderEntry& entry : *listed)
    if (entry.is_folder) games.folders["/usr/share/games/" + entry.name];
}

// Some games keep plugins and programs apart from their data.
bool is_programs_part(const std::string& folder, const DebianGames& games) {
  const std::string name(file_name(folder));
  return folder.starts_with("/usr/lib/") && (games.folders.contains("/usr/share/games/" + name) ||
                                             games.folders.contains("/usr/share/" + name));
}

}  // namespace

void find_debian_games(const LauncherRoot& root, GameCollector& found) {
  DebianGames games = installed_games(root.folder, found);
  add_unpackaged(root.folder, games, found);
  for (auto& [folder, packages] : games.folders) {
    if (is_programs_part(folder, games)) continue;
    std::string path = root.folder + folder.substr(1);
    if (!found.has_folder(path)) continue;
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
