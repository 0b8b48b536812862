#include "packer/library/internal/debian_packages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(DebianPackages, finds_installed_games) {
  const auto packages = packages_of_games(
      "Package: quake\nStatus: install ok installed\nSection: contrib/games\nArchitecture: amd64\n"
      "Description: a game\n Section: libs\n\n"
      "Package: gone\nStatus: deinstall ok config-files\nSection: games\n\n"
      "Package: libc6\nStatus: install ok installed\nSection: libs\n\n"
      "not a field\n\nPackage: last\nSection: games\nStatus: install ok installed");
  ASSERT_EQ(packages.size(), 2U);
  EXPECT_EQ(packages[0].name, "quake");
  EXPECT_EQ(packages[0].architecture, "amd64");
  EXPECT_EQ(packages[1].name, "last");
}

TEST(DebianPackages, finds_folders_and_programs_in_lists) {
  DebianGames games;
  add_package_list(
      "/.\n/usr/games\n/usr/games/quake3\n/usr/share/doc/quake/copyright\n"
      "/usr/share/games/quake3\n/usr/share/games/quake3/pak0.pk3\n/usr/share/quake/a\n",
      "quake", games);
  add_package_list("/usr/share/games/quake3/pak1.pk3\n", "quake-data", games);
  EXPECT_THAT(games.folders, UnorderedElementsAre(Pair("/usr/share/games/quake3",
                                                       ElementsAre("quake", "quake-data")),
                                                  Pair("/usr/share/quake", ElementsAre("quake"))));
  EXPECT_THAT(games.programs, ElementsAre("/usr/games/quake3"));
}

TEST(DebianPackages, finds_the_program_of_a_folder) {
  const std::vector<std::string> programs = {"/usr/games/wesnoth-1.16", "/usr/games/wesnoth-1.16-x",
                                             "/usr/games/etr", "/usr/games/freedroidRPG"};
  EXPECT_EQ(program_of_folder("/usr/share/games/etr", programs), "/usr/games/etr");
  EXPECT_EQ(program_of_folder("/usr/share/games/wesnoth", programs), "/usr/games/wesnoth-1.16");
  EXPECT_EQ(program_of_folder("/usr/share/games/freedroidrpg", programs),
            "/usr/games/freedroidRPG");
  EXPECT_EQ(program_of_folder("/usr/share/games/other", programs), "");
}

}  // namespace
}  // namespace seekless
