// Reads what dpkg knows about installed games. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

struct DebianPackage {
  std::string name;
  std::string architecture;
};

// Returns the installed packages of the section "games" in dpkg's status file. Lines that aren't
// fields are ignored.
std::vector<DebianPackage> packages_of_games(std::string_view status);

struct DebianGames {
  // Folders of games' data, such as /usr/share/games/quake, and the packages that have files there.
  std::map<std::string, std::vector<std::string>> folders;
  std::vector<std::string> programs;  // in /usr/games
};

// Adds the folders and programs in a package's list of files.
void add_package_list(std::string_view list, const std::string& package, DebianGames& games);

// Returns the program that starts the game of a folder, by its name; empty if there is none.
std::string program_of_folder(std::string_view folder, const std::vector<std::string>& programs);

}  // namespace seekless
