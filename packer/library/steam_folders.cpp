#include "packer/library/steam_folders.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "packer/base/windows_names.h"

namespace seekless {
namespace {

constexpr std::string_view kLibrary = "/steamapps/common/";
// Steam's tools that run games also lie in libraries, but they aren't the game.
constexpr std::array<std::string_view, 3> kTools = {"Proton", "SteamLinuxRuntime",
                                                    "Steamworks Shared"};

bool is_absolute(std::string_view path) {
  return path.starts_with('/') || is_path_of_windows(path);
}

// Returns the path in the spelling used for searching. On Windows "SteamApps" equals "steamapps",
// and Steam writes both. The result has the same length.
std::string as_searched(std::string_view path) {
  return is_path_of_windows(path) ? one_windows_spelling(path) : std::string(path);
}

// Returns the "LIBRARY/steamapps/common/GAME" part of a path.
std::optional<std::string> game_of(std::string_view path) {
  const std::string searched = as_searched(path);
  const size_t at = searched.rfind(kLibrary);
  if (at == std::string::npos || !is_absolute(path)) return std::nullopt;
  const size_t name = at + kLibrary.size();
  const std::string_view game =
      path.substr(name, std::string_view(searched).substr(name).find('/'));
  for (const std::string_view tool : kTools)
    if (game.starts_with(tool)) return std::nullopt;
  if (game.empty()) return std::nullopt;
  return std::string(path.substr(0, name + game.size()));
}

// Returns the program's folder if the path is that of a program "proton", otherwise nothing.
// Steam's own Protons lie in its libraries, others in compatibilitytools.d.
std::optional<std::string> folder_of_proton(std::string_view path) {
  constexpr std::string_view kProgram = "/proton";
  const std::string searched = as_searched(path);
  if (!is_absolute(path) || !searched.ends_with(kProgram)) return std::nullopt;
  if (!searched.contains(kLibrary) && !searched.contains("/compatibilitytools.d/"))
    return std::nullopt;
  return std::string(path.substr(0, path.size() - kProgram.size()));
}

// Returns Proton's folder: that of its program in the command; else the first tool path, because
// Steam lists Proton before its container.
std::string proton_folder(const SteamLaunch& launch) {
  for (const std::string& argument : launch.command)
    if (auto folder = folder_of_proton(argument)) return *std::move(folder);
  const std::string first = launch.tool_paths.substr(0, launch.tool_paths.find(':'));
  return first.contains("SteamLinuxRuntime") ? "" : first;
}

std::vector<std::string> folders_beside(const SteamLaunch& launch) {
  std::vector<std::string> beside = {launch.data_path, proton_folder(launch), launch.shader_path};
  std::erase(beside, "");
  return beside;
}

Result<std::string> steam_game_folder(const SteamLaunch& launch) {
  if (!launch.install_path.empty()) return launch.install_path;
  if (auto game = game_of(launch.current_folder)) return *std::move(game);
  for (const std::string& argument : launch.command)
    if (auto game = game_of(argument)) return *std::move(game);
  return wrong_usage({.place = "--steam",
                      .expected = "a game that Steam starts, in a library of its own",
                      .found = "neither $STEAM_COMPAT_INSTALL_PATH nor a path in steamapps/common",
                      .advice = "name the folder: seekless play FOLDER -- COMMAND"});
}

}  // namespace

Result<SteamFolders> steam_folders(const SteamLaunch& launch) {
  SKL_TRY(auto game, steam_game_folder(launch));
  return SteamFolders{.game = std::move(game), .beside = folders_beside(launch)};
}

}  // namespace seekless
