#include "packer/serve/steam_folder.h"

#include <array>
#include <optional>
#include <string_view>

namespace seekless {
namespace {

constexpr std::string_view kLibrary = "/steamapps/common/";
// Steam's tools that run games also lie in libraries, but they aren't the game.
constexpr std::array<std::string_view, 3> kTools = {"Proton", "SteamLinuxRuntime",
                                                    "Steamworks Shared"};

// Returns the "LIBRARY/steamapps/common/GAME" part of a path.
std::optional<std::string> game_of(std::string_view path) {
  const size_t at = path.rfind(kLibrary);
  if (at == std::string_view::npos || !path.starts_with('/')) return std::nullopt;
  const size_t name = at + kLibrary.size();
  const std::string_view game = path.substr(name, path.substr(name).find('/'));
  for (const std::string_view tool : kTools)
    if (game.starts_with(tool)) return std::nullopt;
  if (game.empty()) return std::nullopt;
  return std::string(path.substr(0, name + game.size()));
}

}  // namespace

Result<std::string> steam_game_folder(const SteamLaunch& launch) {
  if (!launch.install_path.empty()) return launch.install_path;
  std::optional<std::string> last;
  for (const std::string& argument : launch.command)
    if (auto game = game_of(argument)) last = std::move(game);
  if (!last) last = game_of(launch.current_folder);
  if (last) return *std::move(last);
  return wrong_usage({.place = "--steam",
                      .expected = "a game that Steam starts, in a library of its own",
                      .found = "neither $STEAM_COMPAT_INSTALL_PATH nor a path in steamapps/common",
                      .advice = "name the folder: seekless play FOLDER -- COMMAND"});
}

}  // namespace seekless
