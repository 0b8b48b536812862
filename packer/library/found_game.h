// Describes the games that launchers have installed, according to the launchers' own files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

enum class Launcher { steam, heroic, lutris, bottles, gog, epic, debian };

// Returns the launcher's name for people: "Steam".
std::string_view name_of(Launcher launcher);

struct FoundGame {
  Launcher launcher = Launcher::steam;
  bool is_flatpak = false;  // the launcher is installed by Flatpak
  std::string id = {};      // the launcher's own name of the game, such as Steam's number
  std::string name = {};
  std::string folder = {};    // canonical
  std::string manifest = {};  // the launcher's file that names the game
  uint64_t told_bytes = 0;    // the size according to the launcher; 0 if unknown
  // The game also reads these folders, such as a Wine prefix. They are canonical.
  std::vector<std::string> beside = {};
  // The command that starts the game; empty if only the launcher can start it.
  std::vector<std::string> command = {};
};

// An error about a launcher's file that couldn't be used: file, place, what was expected and found.
using LauncherFault = Error;

struct FoundGames {
  std::vector<FoundGame> games;
  std::vector<LauncherFault> faults;
};

}  // namespace seekless
