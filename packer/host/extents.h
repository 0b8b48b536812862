// Finds where files physically lie: their extents as the file system reports them (Linux's FIEMAP,
// Windows' retrieval pointers), for reading files in the order of the disk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// A part of a file that is contiguous on its device.
struct Extent {
  uint64_t offset_bytes = 0;  // offset in the file
  uint64_t place_bytes = 0;   // position on the device that the file system lies on
  uint64_t length_bytes = 0;

  bool operator==(const Extent&) const = default;
};

struct FileExtents {
  std::string path;
  uint64_t size_bytes = 0;
  // st_dev, or a volume's serial number. Places on different devices can't be compared.
  uint64_t device = 0;
  std::vector<Extent> extents;  // sorted by offset; holes and unwritten parts aren't listed
  // The file's inode number on ext4; 0 on other file systems.
  uint64_t ext4_inode = 0;
  // The highest inode number in an ext4 folder's list, as far as it was read; 0 for all others.
  uint64_t ext4_last_inode = 0;
  uint64_t inline_bytes = 0;  // bytes stored within the file system's own records
  // Bytes in compressed extents. Only the beginning of such an extent has an exact place.
  uint64_t encoded_bytes = 0;
};

// Calls `with(piece, number)` for each extent that the range touches, in order of offsets. `piece`
// is the part of the extent inside the range, `number` the extent's index. `extents` are sorted by
// offset.
template <typename With>
void for_each_piece(std::span<const Extent> extents, uint64_t begin_bytes, uint64_t end_bytes,
                    With&& with) {
  const auto end_of = [](const Extent& of) { return of.offset_bytes + of.length_bytes; };
  for (auto extent = std::ranges::upper_bound(extents, begin_bytes, {}, end_of);
       extent != extents.end() && extent->offset_bytes < end_bytes; ++extent) {
    const uint64_t from = std::max(begin_bytes, extent->offset_bytes);
    const uint64_t to = std::min(end_bytes, end_of(*extent));
    with(Extent{from, extent->place_bytes + (from - extent->offset_bytes), to - from},
         static_cast<size_t>(extent - extents.begin()));
  }
}

// Adds an extent, cut off at the file's end. Joins it to the last one if they adjoin.
void add_extent(const Extent& extent, FileExtents& file);

// Returns the file's extents, adjoining ones joined. Data that is still only in memory is written
// to the disk first. Fails, with kind `failed`, if the file can't be opened or isn't a regular
// file, or if its file system has no places or doesn't report them (memory, network, FUSE).
Result<FileExtents> read_extents(const std::string& path);

// Returns the pieces of free space that the file system would give a new file of this size in
// `folder`. To see them, it reserves the space, and frees it again. Fails if there isn't enough, if
// this user may not write there, or if the system can't report it (Windows).
Result<std::vector<Extent>> find_free_room(const std::string& folder, uint64_t size_bytes);

// Returns where a folder's own list of names lies. That list is read to find a file in the folder.
// Fails, with kind `failed`, if the folder can't be opened, or if the file system doesn't report
// it: on Linux only ext4 and F2FS do, on Windows none.
Result<FileExtents> read_folder_extents(const std::string& path);
// Does the same without `ext4_last_inode`, for which the list would have to be read.
Result<FileExtents> read_list_extents(const std::string& folder);

}  // namespace seekless
