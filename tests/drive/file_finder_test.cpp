// Tests the cost of finding files, with counts and seconds computed by hand.
#include "packer/drive/file_finder.h"

#include <array>

#include <gmock/gmock.h>

namespace seekless {
namespace {

constexpr uint64_t kBlock = 4096;
constexpr uint64_t kGroups = uint64_t{2} << 30;  // groups whose tables are neighbours

DriveProfile solid() {
  return {"solid", SolidState{2, 1e6}};
}

FileExtents in_folder(const std::string& folder, uint64_t inode) {
  FileExtents file = {.path = folder + "/file" + std::to_string(inode)};
  file.size_bytes = kBlock;
  file.ext4_inode = inode;
  file.extents = {{0, 3 * kGroups, kBlock}};
  return file;
}

FileExtents list(std::vector<Extent> pieces) {
  FileExtents made;
  made.path = "list";
  for (const Extent& piece : pieces) made.size_bytes += piece.length_bytes;
  made.extents = std::move(pieces);
  return made;
}

double seconds(const Drive& drive) {
  return drive.counters().busy_ms / 1000;
}

TEST(FileFinder, a_folder_is_read_once_piece_by_piece) {
  const FolderPlaces folders = {
      {"a", list({{0, 9 * kBlock, kBlock}, {kBlock, 50 * kBlock, kBlock}})},
      {"b", list({{0, 80 * kBlock, kBlock}})}};
  FileFinder finder(folders);
  Drive drive(solid());
  for (int i = 0; i < 3; ++i) finder.find(in_folder("a", 0), drive);
  EXPECT_NEAR(seconds(drive), 2 * 0.002 + 2 * kBlock / 1e6, 1e-9);
  finder.find(in_folder("b", 0), drive);
  EXPECT_NEAR(seconds(drive), 3 * 0.002 + 3 * kBlock / 1e6, 1e-9);
  finder.find(in_folder("unknown", 7), drive);
  EXPECT_NEAR(seconds(drive), 3 * 0.002 + 3 * kBlock / 1e6, 1e-9);
}

TEST(FileFinder, of_a_long_list_the_blocks_are_read_that_lead_to_files) {
  const FolderPlaces folders = {{"a", list({{0, 9 * kBlock, 101 * kBlock}})}};
  FileFinder finder(folders);
  Drive drive(solid());
  finder.find(in_folder("a", 0), drive);
  EXPECT_NEAR(seconds(drive), 2 * 0.002 + 2 * kBlock / 1e6, 1e-9);
  for (int i = 0; i < 50; ++i) {
    FileExtents file = in_folder("a", 0);
    file.path += std::to_string(i);
    finder.find(file, drive);
  }
  // 51 names that are spread evenly over 100 blocks lie in 40 blocks on average.
  const double blocks = seconds(drive) / (0.002 + kBlock / 1e6);
  EXPECT_GT(blocks, 32);
  EXPECT_LT(blocks, 48);
}

TEST(FileFinder, a_stretch_of_inodes_is_read_once_at_the_begin_of_its_groups) {
  const FolderPlaces folders = {{"a", list({{0, kGroups + 9 * kBlock, kBlock}})}};
  FileFinder finder(folders);
  Drive drive(solid());
  for (const uint64_t inode : {1, 12, 512}) finder.find(in_folder("a", inode), drive);
  EXPECT_NEAR(seconds(drive), 3 * 0.002 + 33 * kBlock / 1e6, 1e-9);  // the list, and 32 blocks
  finder.find(in_folder("a", 513), drive);
  EXPECT_NEAR(seconds(drive), 5 * 0.002 + 65 * kBlock / 1e6, 1e-9);
  // It is in the second block, so everything is read at once.
  finder.find(in_folder("a", 1024 + 17), drive);
  EXPECT_NEAR(seconds(drive), 6 * 0.002 + 97 * kBlock / 1e6, 1e-9);
  FileExtents elsewhere = in_folder("a", 1024 + 17);
  elsewhere.device = 7;
  finder.find(elsewhere, drive);
  EXPECT_NEAR(seconds(drive), 7 * 0.002 + 129 * kBlock / 1e6, 1e-9);
}

TEST(FileFinder, a_disk_goes_to_the_inodes_and_back) {
  const DriveProfile profile = get_drive(kTargetDrive).value();
  const FolderPlaces folders = {{"a", list({{0, 3 * kGroups + 9 * kBlock, kBlock}})}};
  Drive known(profile), unknown(profile);
  FileFinder(folders).find(in_folder("a", 0), unknown);
  FileFinder(folders).find(in_folder("a", 12), known);
  // A turn longer, because the first block comes last.
  EXPECT_GT(seconds(known), seconds(unknown) + 0.008);
  EXPECT_LT(seconds(known), seconds(unknown) + 0.040);
}

TEST(FileFinder, the_lists_of_the_folders_above_lead_to_a_file) {
  const FolderPlaces folders = {{"a", list({{0, 9 * kBlock, kBlock}})},
                                {"a/b", list({{0, 50 * kBlock, kBlock}})},
                                {"a/b/c", list({{0, 80 * kBlock, kBlock}})}};
  FileFinder finder(folders);
  Drive drive(solid());
  finder.find(in_folder("a/b/c", 0), drive);
  EXPECT_EQ(drive.counters().reads, 3u);
  finder.find(in_folder("a/b", 0), drive);
  EXPECT_EQ(drive.counters().reads, 3u);
}

FileExtents list_with_inodes(uint64_t own, uint64_t last) {
  FileExtents made = list({{0, kGroups + 9 * kBlock, kBlock}});
  made.ext4_inode = own;
  made.ext4_last_inode = last;
  return made;
}

TEST(FileFinder, no_inodes_are_read_behind_those_in_use) {
  const FolderPlaces folders = {{"a", list_with_inodes(11, 40)}};
  FileFinder finder(folders);
  Drive drive(solid());
  finder.find(in_folder("a", 12), drive);
  // Three blocks hold 40 inodes; the folder's own are in the first one, which comes last.
  EXPECT_EQ(drive.counters().reads, 3u);
  EXPECT_EQ(drive.counters().bytes, 4 * kBlock);
  const FolderPlaces few = {{"a", list_with_inodes(11, 14)}};
  Drive of_few(solid());
  FileFinder(few).find(in_folder("a", 12), of_few);
  EXPECT_EQ(of_few.counters().bytes, 2 * kBlock);
}

FileExtents in_pieces(size_t count) {
  FileExtents file = in_folder("a", 12);
  file.extents.clear();
  for (uint64_t i = 0; i < count; ++i)
    file.extents.push_back({i * kBlock, (1000 + 3 * i) * kBlock, kBlock});
  file.size_bytes = count * kBlock;
  return file;
}

TEST(FileFinder, the_map_of_many_pieces_is_read_once_part_by_part) {
  const FolderPlaces folders;
  FileFinder finder(folders);
  Drive drive(solid());
  finder.map(in_pieces(4), drive);
  EXPECT_EQ(drive.counters().reads, 0u) << "the inode has them";
  FileExtents file = in_pieces(700);
  finder.map(file, 0, kBlock, drive);
  finder.map(file, 339 * kBlock, kBlock, drive);
  EXPECT_EQ(drive.counters().reads, 1u);
  finder.map(file, 339 * kBlock, 2 * kBlock, drive);
  EXPECT_EQ(drive.counters().reads, 2u);
  finder.map(file, drive);
  finder.map(file, 699 * kBlock, 9 * kBlock, drive);
  EXPECT_EQ(drive.counters().reads, 3u);
  file.ext4_inode = 0;
  finder.map(file, drive);
  EXPECT_EQ(drive.counters().reads, 3u) << "other file systems aren't known";
}

TEST(FileFinder, knows_whose_folders_it_doesnt_know) {
  const FolderPlaces folders = {{"a", list({{0, kBlock, kBlock}})}};
  std::array files = {in_folder("a", 1), in_folder("b", 2), in_folder("c", 3)};
  EXPECT_EQ(count_unfound(files, folders), 2u);
  files[1].extents.clear();
  EXPECT_EQ(count_unfound(files, folders), 1u);
}

TEST(FileFinder, a_list_past_the_drives_end_is_an_error) {
  const Drive disk(get_drive(kTargetDrive).value());
  const FolderPlaces folders = {{"a", list({{0, disk.capacity_bytes(), kBlock}})}};
  const auto fits = check_fits_on(disk, folders);
  ASSERT_FALSE(fits);
  EXPECT_THAT(fits.error().message, testing::HasSubstr("--drive"));
}

}  // namespace
}  // namespace seekless
