// Computes what a drive reads to find files before reading their content: the lists of names in
// their folders and, on ext4, the files' inodes. Other file systems don't report where their inodes
// lie.
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

// Returns the places of all folders that hold these files, as far as the file system reports them.
FolderPlaces places_of_folders(std::span<const FileExtents> files);

// Counts the files on disk whose folders have no known place.
uint64_t count_unfound(std::span<const FileExtents> files, const FolderPlaces& folders);

// Fails with kind `failed` if a list lies past the drive's end.
Result<void> check_fits_on(const Drive& drive, const FolderPlaces& folders);

// Simulates finding files in a load. Nothing of the file system is in memory at its start;
// everything it reads stays there.
class FileFinder {
 public:
  explicit FileFinder(const FolderPlaces& folders) : folders_(folders) {}

  // Reads the blocks of the folder's list that lead to the file, and the part of the table that
  // holds its inode, unless they were read for an earlier file. Files in unknown folders cost
  // nothing.
  void find(const FileExtents& file, Drive& drive);

 private:
  void read_list(const FileExtents& list, uint64_t hash, Drive& drive);
  void read_inode(const FileExtents& file, uint64_t tables_bytes, Drive& drive);

  const FolderPlaces& folders_;
  std::set<std::pair<const FileExtents*, uint64_t>> blocks_read_;
  std::set<std::pair<uint64_t, uint64_t>>
      stretches_read_;  // the stretches of tables that were read, each with its device
};

}  // namespace seekless
