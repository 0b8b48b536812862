// Computes what a drive reads to find files, before their content: the lists of names in their
// folders and, with ext4, the files' inodes. Other file systems don't tell where their inodes lie.
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

// Maps the paths of folders to the places of their lists.
using FolderPlaces = std::map<std::string, FileExtents, std::less<>>;

// Returns the places of all folders that hold these files, except where the file system doesn't
// tell.
FolderPlaces places_of_folders(std::span<const FileExtents> files);

// Counts the files on disk whose folders' places aren't known.
uint64_t count_unfound(std::span<const FileExtents> files, const FolderPlaces& folders);

// Error, of kind failed: a list lies past the drive's end.
Result<void> check_fits_on(const Drive& drive, const FolderPlaces& folders);

// Simulates finding files in a load that starts with nothing of the file system in memory, and
// keeps what it reads of it.
class FileFinder {
 public:
  explicit FileFinder(const FolderPlaces& folders) : folders_(folders) {}

  // Reads the blocks of the folder's list that lead to the file, and the part of the table that has
  // its inode, unless an earlier file needed them, too. Files in unknown folders cost nothing.
  void find(const FileExtents& file, Drive& drive);

 private:
  void read_list(const FileExtents& list, uint64_t hash, Drive& drive);
  void read_inode(const FileExtents& file, uint64_t tables_bytes, Drive& drive);

  const FolderPlaces& folders_;
  std::set<std::pair<const FileExtents*, uint64_t>> blocks_read_;
  std::set<std::pair<uint64_t, uint64_t>>
      stretches_read_;  // each device with a stretch of its tables
};

}  // namespace seekless
