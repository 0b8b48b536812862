// Where files physically lie: their extents as the file system tells them (Linux's FIEMAP, Windows'
// retrieval pointers), for reading them in the order in which a disk passes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// A piece of a file that lies in one piece on its device.
struct Extent {
  uint64_t offset_bytes = 0;  // in the file
  uint64_t place_bytes = 0;   // on the device that the file system says it lies on
  uint64_t length_bytes = 0;

  bool operator==(const Extent&) const = default;
};

struct FileExtents {
  std::string path;
  uint64_t size_bytes = 0;
  // st_dev, or a volume's serial number: places of different devices can't be compared.
  uint64_t device = 0;
  std::vector<Extent> extents;  // by offset; holes and what was never written have none
  // Its number in ext4's table of files; 0 on others.
  uint64_t ext4_inode = 0;
  uint64_t inline_bytes = 0;  // kept within the file system's own records
  // Bytes whose place is that of a compressed piece, so that only its begin is meant.
  uint64_t encoded_bytes = 0;
};

// Calls `with(piece, number)` for what lies in each extent of the range, in the order of offsets:
// the part of it that does, and the extent's number. `extents` are by offset.
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

// What ends past the file is cut off, and what adjoins the last extent joined to it.
void add_extent(const Extent& extent, FileExtents& file);

// Adjoining extents are joined. What is still only in memory is written to the disk first. Errors,
// of kind failed: it can't be opened or isn't a regular file; the file system has no places
// (memory, network, FUSE) or doesn't tell them.
Result<FileExtents> read_extents(const std::string& path);

// Where a folder's own list of names lies, which is read to find a file in it. Errors, of kind
// failed: it can't be opened or isn't a folder; the file system doesn't tell, as most of Linux' but
// ext4 and F2FS, and none on Windows.
Result<FileExtents> read_folder_extents(const std::string& path);

}  // namespace seekless
