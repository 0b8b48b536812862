#include "packer/content/internal/other_archive.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/content/content.h"
#include "packer/content/flat_archive.h"
#include "tests/content/test_folder.h"
#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string kind_of(const std::string& bytes, const std::string& name = "file.dat") {
  return kind_of_other_archive(source_of(bytes, name)).value().text();
}

std::string quake_pak(uint32_t directory, uint32_t bytes) {
  std::string pak = "PACK";
  put(pak, directory, 4);
  put(pak, bytes, 4);
  pak.resize(300, 'x');
  return pak;
}

TEST(OtherArchive, is_known_by_its_bytes) {
  const std::string rest(1000, 'r');
  EXPECT_EQ(kind_of("Rar!\x1A\x07\x01" + rest), "a RAR archive");
  EXPECT_EQ(kind_of("7z\xBC\xAF\x27\x1C" + rest), "a 7z archive");
  EXPECT_THAT(kind_of("\x34\x12\xAA\x55" + rest), HasSubstr("Valve's VPK"));
  EXPECT_THAT(kind_of(std::string("BSA\0", 4) + rest),
              HasSubstr("Bethesda's BSA: a .bsa of version"));
  EXPECT_THAT(kind_of(std::string("UnityFS\0", 8) + rest), HasSubstr("Unity's bundle: repacked"));
  EXPECT_THAT(kind_of("-==--==--==--==-" + rest),
              HasSubstr("Unreal's IoStore: its data lie in files beside it"));
  const std::string chd("MComprHD\0\0\0\x7C\0\0\0", 15);
  EXPECT_THAT(kind_of(chd + '\5' + rest), HasSubstr("a CHD image: the order"));
  const std::string uncompressed(16, '\0');
  EXPECT_THAT(kind_of(chd + '\5' + uncompressed + rest), HasSubstr("a CHD image: 'repack' can't"));
  EXPECT_THAT(kind_of(chd + '\4' + rest), HasSubstr("a CHD image: 'repack' can't"));
  EXPECT_THAT(kind_of("MComprHD"), HasSubstr("a CHD image"));
  EXPECT_THAT(kind_of("RVZ\x01" + rest), HasSubstr("Dolphin's disc image: it is of a version"));
  EXPECT_THAT(kind_of("GDPC" + rest), HasSubstr("Godot's .pck"));
  EXPECT_THAT(kind_of(quake_pak(12, 64)), HasSubstr("Quake's .pak"));
}

TEST(OtherArchive, of_unreal_is_known_by_its_end) {
  const std::string pak = std::string(5000, 'u') + "\xE1\x12\x6F\x5A" + std::string(200, '\0');
  EXPECT_EQ(kind_of(pak, "game/Content/Paks/Game-Win.PAK"), "an UnrealPak");
  EXPECT_EQ(kind_of(pak, "game/Content/Game.bin"), "");
  EXPECT_EQ(kind_of(pak.substr(0, 5000), "a.pak"), "");
}

TEST(OtherArchive, is_no_other_file) {
  for (const char* bytes : {"", "R", "Rar", "PACK", "PACKAGE", "text", "BSA", "CPK"})
    EXPECT_EQ(kind_of(bytes), "") << bytes;
  EXPECT_EQ(kind_of(std::string("PACK\0\0\0\2\0\0\0\7 of git", 20)), "");
}

TEST(OtherArchive, is_a_plain_file_that_is_told) {
  const TestFolder folder;
  folder.write("game/data.rar", "Rar!\x1A\x07\x01 and so on");
  folder.write("game/loose", "text");
  const auto content = scan_content({folder.path("game")}, {});
  ASSERT_TRUE(content);
  EXPECT_EQ(content->assets.size(), 2U);
  EXPECT_THAT(warnings_of(*content), ElementsAre(testing::AllOf(HasSubstr("1 file is an archive"),
                                                                HasSubstr("a RAR archive"))));
  const auto opaque = scan_content({folder.path("game")}, {.opaque = {"*.rar"}});
  ASSERT_TRUE(opaque);
  EXPECT_THAT(warnings_of(*opaque), IsEmpty());
}

TEST(OtherArchive, that_cant_be_taken_is_why_there_is_no_content) {
  const TestFolder folder;
  ScanOptions options = {.flat_archives = true, .any_names = true};
  std::string pck = "GDPC";
  for (const uint32_t field : {5U, 4U, 4U, 0U}) put(pck, field, 4);
  pck.resize(500, '\0');
  const auto version = scan_content({folder.write("game.pck", pck)}, options);
  ASSERT_FALSE(version);
  EXPECT_THAT(version.error().message, HasSubstr("a .pck of version 5"));
  const auto pak = scan_content({folder.write("pak0.pak", quake_pak(100, 199))}, options);
  ASSERT_FALSE(pak);
  EXPECT_THAT(pak.error().message, HasSubstr("a directory of 199 bytes at byte 100"));
}

TEST(QuakePak, that_is_of_git_is_none) {
  const auto directory =
      read_flat_directory(source_of(std::string("PACK\0\0\0\2\0\0\0\7 of git", 20)));
  ASSERT_TRUE(directory);
  EXPECT_FALSE(*directory);
}

}  // namespace
}  // namespace seekless
