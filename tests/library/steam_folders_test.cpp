#include "packer/library/steam_folders.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

Result<std::string> folder_of(const std::vector<std::string>& command,
                              std::string install_path = "",
                              std::string current_folder = "/home/me") {
  const auto folders = steam_folders({.install_path = std::move(install_path),
                                      .current_folder = std::move(current_folder),
                                      .command = command});
  if (!folders) return std::unexpected(folders.error());
  return folders->game;
}

const std::string kCommon = "/home/me/.local/share/Steam/steamapps/common";

TEST(SteamFolder, is_the_install_path_where_steam_tells_it) {
  EXPECT_EQ(folder_of({"/a/steamapps/common/Other/run"}, "/b/steamapps/common/Game"),
            "/b/steamapps/common/Game");
}

TEST(SteamFolder, of_a_native_game_is_in_its_command) {
  EXPECT_EQ(folder_of({"/home/me/.steam/ubuntu12_32/reaper", "SteamLaunch", "AppId=7", "--",
                       "/mnt/games/steamapps/common/My Game/bin/run.sh", "-window"}),
            "/mnt/games/steamapps/common/My Game");
}

TEST(SteamFolder, is_not_that_of_proton_or_its_container) {
  EXPECT_EQ(folder_of({kCommon + "/SteamLinuxRuntime_sniper/_v2-entry-point", "--verb=run", "--",
                       kCommon + "/Proton 9.0/proton", "run", "/mnt/2/steamapps/common/G/g.exe"}),
            "/mnt/2/steamapps/common/G");
  EXPECT_FALSE(folder_of({kCommon + "/Proton 9.0/proton", "run", "Z:\\g.exe"}));
}

TEST(SteamFolder, is_where_the_game_is_started_whatever_other_games_its_arguments_name) {
  const std::string game = "/mnt/2/steamapps/common/G";
  const std::string mod = "/mnt/2/steamapps/common/Other/mod";
  EXPECT_EQ(folder_of({game + "/run", "-game", mod}, "", game), game);
  EXPECT_EQ(folder_of({"./run", "-game", mod}, "", game + "/bin"), game);
}

TEST(SteamFolder, is_the_first_in_the_command_where_the_game_is_started_elsewhere) {
  const std::string game = "/mnt/2/steamapps/common/G";
  const std::string mod = "/mnt/2/steamapps/common/Other/mod";
  const std::string proton = kCommon + "/Proton 9.0/proton";
  const std::string container = kCommon + "/SteamLinuxRuntime_sniper/_v2-entry-point";
  const std::vector<std::vector<std::string>> commands = {
      {game + "/run", "-game", mod},
      {"gamemoderun", "mangohud", game + "/run", "-game", mod},
      {proton, "waitforexitandrun", game + "/g.exe", "-game", mod},
      {"/usr/bin/gamemoderun", container, "--verb=waitforexitandrun", "--", proton,
       "waitforexitandrun", game + "/g.exe", "-game", mod}};
  for (const auto& command : commands) EXPECT_EQ(folder_of(command), game) << command.front();
  EXPECT_EQ(folder_of(commands.back(), "", kCommon + "/Proton 9.0"), game);
}

TEST(SteamFolder, may_be_where_the_game_is_started) {
  EXPECT_EQ(folder_of({"./run.sh"}, "", "/mnt/2/steamapps/common/G/bin"),
            "/mnt/2/steamapps/common/G");
  EXPECT_EQ(folder_of({"./run.sh"}).error().kind, ErrorKind::usage);
}

TEST(SteamFolder, of_windows_is_found_whatever_its_case) {
  EXPECT_EQ(folder_of({"C:/Steam/steamapps/common/Quest/bin/q.exe", "-window"}),
            "C:/Steam/steamapps/common/Quest");
  EXPECT_EQ(folder_of({R"(d:\Games\SteamApps\Common\My Quest\q.exe)"}),
            R"(d:\Games\SteamApps\Common\My Quest)");
  EXPECT_FALSE(folder_of({"steamapps/common/Quest/q.exe"}));
  EXPECT_FALSE(folder_of({"/mnt/2/SteamApps/common/Quest/q"}));
}

using Folders = std::vector<std::string>;

TEST(SteamFolder, has_the_prefix_proton_and_shaders_beside_it) {
  const std::vector<std::string> command = {kCommon + "/SteamLinuxRuntime_sniper/_v2-entry-point",
                                            kCommon + "/Proton 9.0/proton", "waitforexitandrun",
                                            "/mnt/2/steamapps/common/G/g.exe"};
  const auto folders = steam_folders({.install_path = "/mnt/2/steamapps/common/G",
                                      .data_path = "/mnt/2/steamapps/compatdata/7",
                                      .shader_path = "/mnt/2/steamapps/shadercache/7",
                                      .current_folder = "/",
                                      .command = command});
  EXPECT_EQ(folders->game, "/mnt/2/steamapps/common/G");
  EXPECT_EQ(folders->beside, (Folders{"/mnt/2/steamapps/compatdata/7", kCommon + "/Proton 9.0",
                                      "/mnt/2/steamapps/shadercache/7"}));
}

TEST(SteamFolder, takes_no_folder_of_the_system_for_protons) {
  const std::vector<std::string> command = {"/usr/bin/proton", "run",
                                            "/s/compatibilitytools.d/GE/proton"};
  EXPECT_EQ(
      steam_folders({.install_path = "/g", .current_folder = "/", .command = command})->beside,
      Folders{"/s/compatibilitytools.d/GE"});
}

TEST(SteamFolder, takes_a_tool_from_the_environment_but_never_the_container) {
  const auto beside = [](std::string tools) {
    return steam_folders({.install_path = "/g",
                          .tool_paths = std::move(tools),
                          .current_folder = "/",
                          .command = {}})
        ->beside;
  };
  EXPECT_EQ(beside("/t/GE-Proton9:/c/SteamLinuxRuntime_sniper"), Folders{"/t/GE-Proton9"});
  EXPECT_EQ(beside("/c/SteamLinuxRuntime_sniper"), Folders{});
  EXPECT_EQ(beside(""), Folders{});
}

}  // namespace
}  // namespace seekless
