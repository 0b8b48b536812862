#include "packer/library/find_games.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/files.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string manifest_of(const std::string& id, const std::string& name, const std::string& folder) {
  return "\"AppState\" { \"appid\" \"" + id + "\" \"name\" \"" + name + "\" \"installdir\" \"" +
         folder + "\" \"StateFlags\" \"4\" }";
}

FoundGames found_in(Launcher launcher, const std::string& folder) {
  return find_games({{.launcher = launcher, .folder = folder, .settings = folder}});
}

TEST(FindGames, finds_steam_s_libraries_on_other_disks_once) {
  const TestFolder folder;
  folder.write("steam/steamapps/libraryfolders.vdf",
               "\"libraryfolders\" { \"0\" { \"path\" \"" + folder.path("steam") +
                   "\" } \"1\" { \"path\" \"" + folder.path("disk") + "\" } }");
  folder.write("steam/steamapps/appmanifest_1.acf", manifest_of("1", "One", "one"));
  folder.write("steam/steamapps/common/one/file", "x");
  folder.write("disk/steamapps/appmanifest_2.acf", manifest_of("2", "Two", "two"));
  folder.write("disk/steamapps/common/two/file", "x");
  folder.write("disk/steamapps/appmanifest_3.acf", manifest_of("3", "Proton", "proton"));
  folder.write("disk/steamapps/common/proton/toolmanifest.vdf", "x");
  const FoundGames found = found_in(Launcher::steam, folder.path("steam"));
  ASSERT_EQ(found.games.size(), 2U);
  EXPECT_EQ(found.games[0].name, "One");
  EXPECT_EQ(found.games[1].id, "2");
  EXPECT_EQ(found.games[1].folder, canonical_path(folder.path("disk/steamapps/common/two")));
  EXPECT_THAT(found.faults, IsEmpty());
}

TEST(FindGames, names_broken_manifests_and_goes_on) {
  const TestFolder folder;
  folder.write("s/steamapps/appmanifest_1.acf", "\"AppState\" { \"appid\" ");
  folder.write("s/steamapps/appmanifest_2.acf", manifest_of("2", "Out", "../../.."));
  folder.write("s/steamapps/appmanifest_3.acf", manifest_of("3", "Gone", "gone"));
  folder.write("s/steamapps/appmanifest_4.acf", std::string(3 << 20, 'x'));
  folder.write("s/steamapps/appmanifest_5.acf", manifest_of("5", "Five", "five"));
  folder.write("s/steamapps/common/five/file", "x");
  const FoundGames found = found_in(Launcher::steam, folder.path("s"));
  ASSERT_EQ(found.games.size(), 1U);
  ASSERT_EQ(found.faults.size(), 4U);
  EXPECT_THAT(found.faults[0].message, HasSubstr("appmanifest_1.acf: line 1: expected"));
  EXPECT_THAT(found.faults[1].message, HasSubstr("'installdir': expected the name of a folder"));
  EXPECT_THAT(found.faults[2].message, HasSubstr("game 'Gone': expected the game's folder"));
  EXPECT_THAT(found.faults[3].message, HasSubstr("appmanifest_4.acf: expected at most"));
}

TEST(FindGames, takes_no_system_folder_as_a_game) {
  const TestFolder folder;
  folder.write(
      "heroic/gog_store/installed.json",
      R"({"installed": [{"appName": "1", "install_path": "/"}, {"appName": "2", "install_path": "/proc/self"}]})");
  const FoundGames found = found_in(Launcher::heroic, folder.path());
  EXPECT_THAT(found.games, IsEmpty());
  ASSERT_EQ(found.faults.size(), 2U);
  EXPECT_THAT(found.faults[0].message, HasSubstr("holds more than a game"));
}

TEST(FindGames, finds_bottles_and_gog) {
  const TestFolder folder;
  folder.write("b/bottles/Games/bottle.yml",
               "Name: Games\nExternal_Programs:\n  1:\n    name: A\n    path: C:\\A\\bin\\a.exe\n"
               "  2:\n    name: B\n    path: C:\\B\\b.exe\n    removed: true\n");
  folder.write("b/bottles/Games/drive_c/A/bin/a.exe", "x");
  folder.write("g/Star/gameinfo", "Star Game\n1.0\n123456789\n");
  folder.write("g/Star/start.sh", "x");
  const FoundGames bottles = found_in(Launcher::bottles, folder.path("b"));
  ASSERT_EQ(bottles.games.size(), 1U);
  EXPECT_EQ(bottles.games[0].folder, canonical_path(folder.path("b/bottles/Games/drive_c/A")));
  EXPECT_THAT(bottles.games[0].command,
              ElementsAre("bottles-cli", "run", "-b", "Games", "-p", "A"));
  const FoundGames gog = found_in(Launcher::gog, folder.path("g"));
  ASSERT_EQ(gog.games.size(), 1U);
  EXPECT_EQ(gog.games[0].id, "123456789");
  EXPECT_THAT(gog.games[0].command, ElementsAre(folder.path("g/Star/start.sh")));
}

TEST(FindGames, takes_a_package_s_programs_folder_as_no_game_of_its_own) {
  const TestFolder folder;
  folder.write("var/lib/dpkg/status",
               "Package: tuxmath\nStatus: install ok installed\nSection: math\n\n"
               "Package: tuxmath-data\nStatus: install ok installed\nSection: games\n\n"
               "Package: tuxmath\nStatus: install ok installed\nSection: games\n");
  folder.write("var/lib/dpkg/info/tuxmath.list", "/usr/lib/tuxmath/plugin.so\n");
  folder.write("var/lib/dpkg/info/tuxmath-data.list", "/usr/share/tuxmath/images/a.png\n");
  folder.write("usr/lib/tuxmath/plugin.so", "x");
  folder.write("usr/share/tuxmath/images/a.png", "x");
  const FoundGames found = found_in(Launcher::debian, folder.path("") + "/");
  ASSERT_EQ(found.games.size(), 1U);
  EXPECT_EQ(found.games[0].folder, canonical_path(folder.path("usr/share/tuxmath")));
}

// Some lists name only an icon in /usr/share, or files that the user has removed.
TEST(FindGames, takes_the_larger_of_a_package_s_folders) {
  const TestFolder folder;
  folder.write("var/lib/dpkg/status",
               "Package: doom\nStatus: install ok installed\nSection: games\n\n"
               "Package: quake\nStatus: install ok installed\nSection: games\n");
  folder.write("var/lib/dpkg/info/doom.list", "/usr/lib/doom/data\n/usr/share/doom/data\n");
  folder.write("var/lib/dpkg/info/quake.list", "/usr/lib/quake/data\n/usr/share/quake/icon\n");
  folder.write("usr/lib/doom/data", "x");
  folder.write("usr/lib/quake/data", "many bytes");
  folder.write("usr/share/quake/icon", "x");
  const FoundGames found = found_in(Launcher::debian, folder.path("") + "/");
  ASSERT_EQ(found.games.size(), 2U);
  EXPECT_EQ(found.games[0].folder, canonical_path(folder.path("usr/lib/doom")));
  EXPECT_EQ(found.games[1].folder, canonical_path(folder.path("usr/lib/quake")));
}

TEST(FindGames, says_that_a_file_is_no_database) {
  const TestFolder folder;
  folder.write("pga.db", std::string(5000, 'x'));
  const FoundGames found = found_in(Launcher::lutris, folder.path());
  ASSERT_EQ(found.faults.size(), 1U);
  EXPECT_THAT(found.faults[0].message,
              HasSubstr("pga.db: table 'games': expected Lutris' database"));
}

TEST(FindGames, finds_nothing_where_nothing_is) {
  for (const Launcher launcher :
       {Launcher::steam, Launcher::heroic, Launcher::lutris, Launcher::bottles, Launcher::gog,
        Launcher::epic, Launcher::debian}) {
    const FoundGames found = found_in(launcher, "/nowhere/at/all/");
    EXPECT_THAT(found.games, IsEmpty());
    EXPECT_THAT(found.faults, IsEmpty());
  }
}

}  // namespace
}  // namespace seekless
