// What a drive reads to find files, before what is in them: the lists of names that their folders
// are, and with ext4 the files' inodes. Others don't tell where these lie.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "packer/base/error.h"
#include "packer/drive/drive.h"
#include "packer/host/extents.h"

namespace seekless {

// Where the lists of folders lie, by the folders' paths.
using FolderPlaces = std::map<std::string, FileExtents, std::less<>>;

// Of all folders that these files lie in, but for those whose file system doesn't tell.
FolderPlaces places_of_folders(std::span<const FileExtents> files);

// Files with pieces whose folders' places aren't known.
uint64_t count_unfound(std::span<const FileExtents> files, const FolderPlaces& folders);

// Error, of kind failed: a list lies past the drive's end.
Result<void> check_fits_on(const Drive& drive, const FolderPlaces& folders);

// A load that begins with nothing of the file system in memory, and keeps what it has read of it.
class FileFinder {
 public:
  explicit FileFinder(const FolderPlaces& folders) : folders_(folders) {}

  // Reads the blocks of its folder's list that lead to the file, and the part of the table that has
  // its inode, where no file before it has needed them. Files of folders that aren't known cost
  // nothing.
  void find(const FileExtents& file, Drive& drive);

 private:
  void read_list(const FileExtents& list, uint64_t hash, Drive& drive);
  void read_inode(const FileExtents& file, uint64_t tables_bytes, Drive& drive);

  const FolderPlaces& folders_;
  std::set<std::pair<const FileExtents*, uint64_t>> blocks_read_;
  std::set<std::pair<uint64_t, uint64_t>> stretches_read_;  // of a device's tables
};

}  // namespace seekless
