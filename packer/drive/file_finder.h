// Computes what a drive reads to find files before reading their content: the lists of names in
// their folders and in the folders above and, on ext4, inodes and the maps of files in many pieces.
// Other file systems don't report where they keep inodes and maps.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/error.h"
#include "packer/drive/drive.h"
#include "packer/host/extents.h"

namespace seekless {

// Maps the paths of folders to the places of their lists.
using FolderPlaces = std::map<std::string, FileExtents, std::less<>>;

// Returns the places of all folders that hold these files, and of the folders above them, up to the
// file system's root, as far as the file system reports them.
FolderPlaces places_of_folders(std::span<const FileExtents> files);

// Counts the files on disk whose folders have no known place.
uint64_t count_unfound(std::span<const FileExtents> files, const FolderPlaces& folders);

// Fails with kind `failed` if a list lies past the drive's end.
Result<void> check_fits_on(const Drive& drive, const FolderPlaces& folders);

// Simulates finding files in a load. Nothing of the file system is in memory at its start;
// everything it reads stays there.
class FileFinder {
 public:
  explicit FileFinder(const FolderPlaces& folders);

  // Follows the file's path down the known folders, as opening the file does. Reads the blocks of
  // each list that lead to the next name, and the parts of the tables that hold the inodes, unless
  // they were read before. Files in unknown folders cost nothing.
  void find(const FileExtents& file, Drive& drive);
  // Reads the folder's whole list of names.
  void list(std::string_view folder, Drive& drive);
  // Reads the part of the table that holds the inode of a file in a known folder.
  void look_up(const FileExtents& file, Drive& drive);
  // Reads the part of the table that holds the inode of a known folder.
  void look_up_folder(std::string_view folder, Drive& drive);
  // Reads the blocks that tell where this part of the file lies.
  void map(const FileExtents& file, uint64_t offset_bytes, uint64_t length_bytes, Drive& drive);
  void map(const FileExtents& file, Drive& drive) { map(file, 0, file.size_bytes, drive); }

 private:
  void find_folder(const std::string& path, const FileExtents& list, Drive& drive);
  void read_name(const FileExtents& list, std::string_view path, Drive& drive);
  void read_block(const FileExtents& list, uint64_t block, Drive& drive);
  void read_inode(uint64_t inode, uint64_t device, uint64_t folder_bytes, Drive& drive);
  uint64_t blocks_in_use(uint64_t device, uint64_t first_inode, uint64_t end_inode) const;

  const FolderPlaces& folders_;
  // The inodes that are known to be in use, sorted, by device.
  std::map<uint64_t, std::vector<uint64_t>> used_inodes_;
  std::set<const FileExtents*> found_folders_;
  std::set<std::pair<const FileExtents*, uint64_t>> blocks_read_;
  // These were read: stretches of tables, as pairs of device and stretch; and parts of maps, each
  // with its device and inode.
  std::set<std::pair<uint64_t, uint64_t>> stretches_read_;
  std::set<std::pair<std::pair<uint64_t, uint64_t>, uint64_t>> map_parts_read_;
};

}  // namespace seekless
