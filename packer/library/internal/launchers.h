// Declares, for each launcher, the function that finds its games below a root. Each function has
// its own source file. A missing root has no games.
#pragma once

#include "packer/library/internal/game_collector.h"
#include "packer/library/launcher_roots.h"

namespace seekless {

void find_steam_games(const LauncherRoot& root, GameCollector& found);
void find_heroic_games(const LauncherRoot& root, GameCollector& found);
void find_lutris_games(const LauncherRoot& root, GameCollector& found);
void find_bottles_games(const LauncherRoot& root, GameCollector& found);
void find_gog_games(const LauncherRoot& root, GameCollector& found);
void find_epic_games(const LauncherRoot& root, GameCollector& found);
void find_debian_games(const LauncherRoot& root, GameCollector& found);

}  // namespace seekless
