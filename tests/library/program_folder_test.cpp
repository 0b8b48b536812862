#include "packer/library/internal/program_folder.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(ProgramFolder, leaves_out_folders_of_programs) {
  EXPECT_EQ(folder_of_program("/games/quake/quake.exe"), "/games/quake");
  EXPECT_EQ(folder_of_program("/games/quake/Binaries/Win64/quake.exe"), "/games/quake");
  EXPECT_EQ(folder_of_program("/bin/game"), "/");
}

TEST(ProgramFolder, finds_paths_of_windows_in_a_prefix) {
  EXPECT_EQ(path_in_prefix(R"(C:\Games\a.exe)", "/p"), "/p/drive_c/Games/a.exe");
  EXPECT_EQ(path_in_prefix(R"(z:\home\a.exe)", "/p"), "/home/a.exe");
  EXPECT_EQ(path_in_prefix("/home/a.exe", "/p"), "/home/a.exe");
  EXPECT_EQ(path_in_prefix(R"(D:\a.exe)", "/p"), "");
  EXPECT_EQ(path_in_prefix("", "/p"), "");
}

}  // namespace
}  // namespace seekless
