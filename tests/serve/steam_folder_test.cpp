#include "packer/serve/steam_folder.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

Result<std::string> folder_of(const std::vector<std::string>& command,
                              std::string install_path = "",
                              std::string current_folder = "/home/me") {
  return steam_game_folder({std::move(install_path), std::move(current_folder), command});
}

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
  const std::string common = "/home/me/.local/share/Steam/steamapps/common";
  EXPECT_EQ(folder_of({common + "/SteamLinuxRuntime_sniper/_v2-entry-point", "--verb=run", "--",
                       common + "/Proton 9.0/proton", "run", "/mnt/2/steamapps/common/G/g.exe"}),
            "/mnt/2/steamapps/common/G");
  EXPECT_FALSE(folder_of({common + "/Proton 9.0/proton", "run", "Z:\\g.exe"}));
}

TEST(SteamFolder, may_be_where_the_game_is_started) {
  EXPECT_EQ(folder_of({"./run.sh"}, "", "/mnt/2/steamapps/common/G/bin"),
            "/mnt/2/steamapps/common/G");
  EXPECT_EQ(folder_of({"./run.sh"}).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace seekless
