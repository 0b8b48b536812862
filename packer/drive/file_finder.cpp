#include "packer/drive/file_finder.h"

#include <algorithm>
#include <array>

#include <xxhash.h>

#include "packer/base/paths.h"
#include "packer/drive/fits_on.h"

namespace seekless {
namespace {

// These are mke2fs's defaults for ext4, and the way in which Linux reads it: inodes have 256 bytes;
// the tables of 16 groups of 128 MiB lie together at their beginning. Linux reads the stretch of a
// table around an inode, and the block of the inode itself after all others of the stretch.
constexpr uint64_t kBlockBytes = 4096;
constexpr uint64_t kStretchBytes = 32 * kBlockBytes;
constexpr uint64_t kInodesInBlock = kBlockBytes / 256;
constexpr uint64_t kInodesAtOnce = kStretchBytes / 256;
constexpr uint64_t kStretchBlocks = kStretchBytes / kBlockBytes;
constexpr uint64_t kRootInode = 2;  // mounting reads it
constexpr uint64_t kGroupsTogether = 16;
constexpr uint64_t kGroupsBytes = kGroupsTogether * (uint64_t{128} << 20);
// Inodes in 16 groups: on disks below 4 TB, below 16 TB, and on larger ones.
constexpr std::array<uint64_t, 3> kInodesInGroups = {16 * 8192, 16 * 4096, 16 * 2048};

// An inode itself lists the places of up to kPiecesInInode pieces. If a file has more, blocks list
// kPiecesInBlock pieces each. The file system doesn't report where these blocks lie. On a used
// disk, each lies in a hole of its own, so it is assumed to lie in the middle of the pieces that it
// lists.
constexpr size_t kPiecesInInode = 4;
constexpr size_t kPiecesInBlock = 340;

// A folder lies in the groups of its files' inodes, unless these were full when it was made. So the
// right count of inodes is the one for which this holds.
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
    if (file.path.empty()) continue;
    for (std::string_view folder = folder_above(file.path); asked.insert(folder).second;
         folder = folder_above(folder)) {
      auto found = read_folder_extents(std::string(folder));
      if (!found || found->device != file.device) break;
      places.emplace(folder, *std::move(found));
    }
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

FileFinder::FileFinder(const FolderPlaces& folders) : folders_(folders) {
  for (const auto& [path, list] : folders)
    for (const uint64_t inode : {list.ext4_inode, list.ext4_last_inode})
      if (list.ext4_last_inode != 0 && inode != 0) used_inodes_[list.device].push_back(inode);
  for (auto& [device, inodes] : used_inodes_) std::ranges::sort(inodes);
}

void FileFinder::find(const FileExtents& file, Drive& drive) {
  const auto found = folders_.find(folder_above(file.path));
  if (found == folders_.end() || found->second.extents.empty()) return;
  find_folder(found->first, found->second, drive);
  read_name(found->second, file.path, drive);
  look_up(file, drive);
}

void FileFinder::find_folder(const std::string& path, const FileExtents& list, Drive& drive) {
  if (!found_folders_.insert(&list).second) return;
  const std::string_view above = folder_above(path);
  if (const auto found = folders_.find(above); found != folders_.end() && above != path) {
    find_folder(found->first, found->second, drive);
    read_name(found->second, path, drive);
  }
  look_up_folder(path, drive);
}

void FileFinder::list(std::string_view folder, Drive& drive) {
  const auto found = folders_.find(folder);
  if (found == folders_.end()) return;
  const uint64_t blocks = found->second.size_bytes / kBlockBytes;
  for (uint64_t block = 0; block < blocks; ++block) read_block(found->second, block, drive);
}

void FileFinder::look_up(const FileExtents& file, Drive& drive) {
  const auto found = folders_.find(folder_above(file.path));
  if (found != folders_.end() && !found->second.extents.empty())
    read_inode(file.ext4_inode, file.device, found->second.extents[0].place_bytes, drive);
}

void FileFinder::look_up_folder(std::string_view folder, Drive& drive) {
  const auto found = folders_.find(folder);
  if (found != folders_.end() && !found->second.extents.empty())
    read_inode(found->second.ext4_inode, found->second.device, found->second.extents[0].place_bytes,
               drive);
}

// A long list is a tree: its first block says which other block has a name, by the name's hash. The
// file system's hash function isn't known here, so names are assumed to spread evenly.
void FileFinder::read_name(const FileExtents& list, std::string_view path, Drive& drive) {
  const uint64_t blocks = list.size_bytes / kBlockBytes;
  read_block(list, 0, drive);
  if (blocks > 1) read_block(list, 1 + XXH3_64bits(path.data(), path.size()) % (blocks - 1), drive);
}

void FileFinder::read_block(const FileExtents& list, uint64_t block, Drive& drive) {
  if (!blocks_read_.insert({&list, block}).second) return;
  for_each_piece(
      list.extents, block * kBlockBytes, (block + 1) * kBlockBytes,
      [&](const Extent& piece, size_t) { drive.read(piece.place_bytes, piece.length_bytes); });
}

// Returns how many blocks of a group's table hold inodes in use, if that is known: Linux reads no
// further. Inodes are given out from the lowest on.
uint64_t FileFinder::blocks_in_use(uint64_t device, uint64_t first_inode,
                                   uint64_t end_inode) const {
  const auto known = used_inodes_.find(device);
  if (known == used_inodes_.end()) return UINT64_MAX;
  const auto after = std::ranges::lower_bound(known->second, end_inode);
  if (after == known->second.begin() || *(after - 1) < first_inode) return UINT64_MAX;
  return (*(after - 1) - first_inode + 1) / kInodesInBlock + 1;
}

void FileFinder::read_inode(uint64_t inode, uint64_t device, uint64_t folder_bytes, Drive& drive) {
  if (inode == 0 || inode == kRootInode) return;
  const uint64_t number = inode - 1;  // inodes are numbered from 1
  const uint64_t stretch = number / kInodesAtOnce;
  const uint64_t inodes = inodes_in_groups(number, folder_bytes);
  const uint64_t place =
      number / inodes * kGroupsBytes + number % inodes / kInodesAtOnce * kStretchBytes;
  if (!stretches_read_.insert({device, stretch}).second || !drive.holds(place, kStretchBytes))
    return;
  const uint64_t in_group = inodes / kGroupsTogether;
  const uint64_t first_of_group = number / in_group * in_group;
  const uint64_t used = blocks_in_use(device, first_of_group + 1, first_of_group + in_group + 1);
  const uint64_t before = (stretch * kInodesAtOnce - first_of_group) / kInodesInBlock;
  const uint64_t own = number % kInodesAtOnce / kInodesInBlock;
  const uint64_t blocks = std::clamp(used - std::min(used, before), own + 1, kStretchBlocks);
  const uint64_t bytes = blocks * kBlockBytes;
  if (own == 0 && blocks > 1) {
    drive.read(place + kBlockBytes, bytes - kBlockBytes);
    drive.read(place, kBlockBytes);
  } else {  // read while the head passes
    drive.read(place, bytes);
  }
}

void FileFinder::map(const FileExtents& file, uint64_t offset_bytes, uint64_t length_bytes,
                     Drive& drive) {
  if (file.ext4_inode == 0 || file.extents.size() <= kPiecesInInode) return;
  const auto end_of = [](const Extent& of) { return of.offset_bytes + of.length_bytes; };
  const auto first = std::ranges::upper_bound(file.extents, offset_bytes, {}, end_of);
  const auto end = std::ranges::lower_bound(file.extents, offset_bytes + length_bytes, {},
                                            &Extent::offset_bytes);
  const size_t begin_part = static_cast<size_t>(first - file.extents.begin()) / kPiecesInBlock;
  for (size_t part = begin_part;
       part * kPiecesInBlock < static_cast<size_t>(end - file.extents.begin()); ++part) {
    if (!map_parts_read_.insert({{file.device, file.ext4_inode}, part}).second) continue;
    const size_t pieces = std::min(kPiecesInBlock, file.extents.size() - part * kPiecesInBlock);
    drive.read(file.extents[part * kPiecesInBlock + pieces / 2].place_bytes, kBlockBytes);
  }
}

}  // namespace seekless
