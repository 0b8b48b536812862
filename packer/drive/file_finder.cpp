#include "packer/drive/file_finder.h"

#include <algorithm>
#include <array>

#include <xxhash.h>

#include "packer/base/paths.h"
#include "packer/drive/fits_on.h"

namespace seekless {
namespace {

// These are mke2fs's defaults for ext4, and Linux's way to read it: inodes have 256 bytes; the
// tables of 16 groups of 128 MiB lie together at their beginning. Linux reads the stretch of a
// table around an inode, and the block of the inode itself after all others of the stretch.
constexpr uint64_t kBlockBytes = 4096;
constexpr uint64_t kStretchBytes = 32 * kBlockBytes;
constexpr uint64_t kInodesInBlock = kBlockBytes / 256;
constexpr uint64_t kInodesAtOnce = kStretchBytes / 256;
constexpr uint64_t kGroupsBytes = 16 * (uint64_t{128} << 20);
// Inodes in 16 groups: on disks below 4 TB, below 16 TB, and on larger ones.
constexpr std::array<uint64_t, 3> kInodesInGroups = {16 * 8192, 16 * 4096, 16 * 2048};

// A folder lies in the groups of its files' inodes, unless these were full when it was made. So the
// count of inodes for which that is true is the right one.
uint64_t inodes_in_groups(uint64_t number, uint64_t folder_bytes) {
  for (const uint64_t inodes : kInodesInGroups)
    if (number / inodes == folder_bytes / kGroupsBytes) return inodes;
  return kInodesInGroups.front();
}

}  // namespace

FolderPlaces places_of_folders(std::span<const FileExtents> files) {
  FolderPlaces places;
  std::set<std::string_view> asked;
  for (const FileExtents& file : files) {
    const std::string_view folder = folder_above(file.path);
    if (file.path.empty() || !asked.insert(folder).second) continue;
    if (auto found = read_folder_extents(std::string(folder)))
      places.emplace(folder, *std::move(found));
  }
  return places;
}

uint64_t count_unfound(std::span<const FileExtents> files, const FolderPlaces& folders) {
  return static_cast<uint64_t>(std::ranges::count_if(files, [&](const FileExtents& file) {
    return !file.extents.empty() && !folders.contains(folder_above(file.path));
  }));
}

Result<void> check_fits_on(const Drive& drive, const FolderPlaces& folders) {
  for (const auto& [path, list] : folders) SKL_TRY_DO(check_fits_on(drive, list));
  return {};
}

void FileFinder::find(const FileExtents& file, Drive& drive) {
  const auto found = folders_.find(folder_above(file.path));
  if (found == folders_.end() || found->second.extents.empty()) return;
  read_list(found->second, XXH3_64bits(file.path.data(), file.path.size()), drive);
  if (file.ext4_inode == 0) return;
  read_inode(file, found->second.extents[0].place_bytes, drive);
}

// A long list is a tree: its first block says which other block has a name, by the name's hash. The
// file system's hash function isn't known here, so names are assumed to spread evenly.
void FileFinder::read_list(const FileExtents& list, uint64_t hash, Drive& drive) {
  const auto read = [&](uint64_t block) {
    if (blocks_read_.insert({&list, block}).second)
      for_each_piece(
          list.extents, block * kBlockBytes, (block + 1) * kBlockBytes,
          [&](const Extent& piece, size_t) { drive.read(piece.place_bytes, piece.length_bytes); });
  };
  const uint64_t blocks = list.size_bytes / kBlockBytes;
  read(0);
  if (blocks > 1) read(1 + hash % (blocks - 1));
}

void FileFinder::read_inode(const FileExtents& file, uint64_t folder_bytes, Drive& drive) {
  const uint64_t number = file.ext4_inode - 1;  // inodes are numbered from 1
  const uint64_t stretch = number / kInodesAtOnce;
  const uint64_t inodes = inodes_in_groups(number, folder_bytes);
  const uint64_t place =
      number / inodes * kGroupsBytes + number % inodes / kInodesAtOnce * kStretchBytes;
  if (!stretches_read_.insert({file.device, stretch}).second || !drive.holds(place, kStretchBytes))
    return;
  if (number % kInodesAtOnce < kInodesInBlock) {
    drive.read(place + kBlockBytes, kStretchBytes - kBlockBytes);
    drive.read(place, kBlockBytes);
  } else {  // read while the head passes
    drive.read(place, kStretchBytes);
  }
}

}  // namespace seekless
