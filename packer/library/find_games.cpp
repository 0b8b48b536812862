#include "packer/library/find_games.h"

#include <utility>

#include "packer/library/internal/launchers.h"

namespace seekless {
namespace {

void find_in(const LauncherRoot& root, GameCollector& found) {
  switch (root.launcher) {
    case Launcher::steam:
      return find_steam_games(root, found);
    case Launcher::heroic:
      return find_heroic_games(root, found);
    case Launcher::lutris:
      return find_lutris_games(root, found);
    case Launcher::bottles:
      return find_bottles_games(root, found);
    case Launcher::gog:
      return find_gog_games(root, found);
    case Launcher::epic:
      return find_epic_games(root, found);
    case Launcher::debian:
      return find_debian_games(root, found);
  }
}

}  // namespace

FoundGames find_games(const std::vector<LauncherRoot>& roots) {
  GameCollector found;
  for (const LauncherRoot& root : roots) find_in(root, found);
  return std::move(found).take();
}

}  // namespace seekless
