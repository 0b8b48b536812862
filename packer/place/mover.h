// Puts whole files next to each other on their disk, in the given order. Their bytes and names are
// intact at every moment, even if the process is killed.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/extents.h"

namespace seekless {

// Room that was found for files. As long as this object lives, no others get the same room.
class FoundRoom {
 public:
  virtual ~FoundRoom() = default;
  // Returns the places of each file after its move; of a file that can't be moved, its present
  // ones. Empty if the file system doesn't report them beforehand.
  virtual const std::vector<std::vector<Extent>>& places() const = 0;
};

// Room into which the files can be moved.
class ReservedRoom : public FoundRoom {
 public:
  // Moves file number `i`. Returns false, with a warning, if the file can't be opened, is a running
  // program, has changed, or is of a kind that the file system can't move. Fails if moving other
  // files would fail too, or on Ctrl-C.
  virtual Result<bool> move(size_t i) = 0;
};

struct Mover {
  using Warn = std::function<void(std::string_view)>;
  const char* way;  // "moved within the file system": for people
  // Reserves some space for each of the files, which lie on one file system. Fails if there isn't
  // enough.
  std::function<Result<std::unique_ptr<ReservedRoom>>(std::vector<FileExtents> files)> reserve;
};

// Returns the mover for the file system of `folder`. On ext4, extents are exchanged with those of a
// nameless file whose room was reserved in one piece. On XFS, they are exchanged with those of a
// nameless copy. On Btrfs, each file shares the extents of such a copy. On NTFS, only under
// Windows, clusters are moved to free ones. Elsewhere the copy takes the file's name. Fails where
// none of these is safe: overlays, networks, FUSE, and unknown file systems.
Result<Mover> mover_for(const std::string& folder, Mover::Warn warn);

// Returns a function that finds room below `folder` for all of these files, without writing
// anything. Fails if there isn't enough, or if the system doesn't tell this user. On Windows, it
// warns of that once, unless rooms that it found before have taken the rest.
using FindRoom =
    std::function<Result<std::unique_ptr<FoundRoom>>(const std::vector<FileExtents>& files)>;
FindRoom room_finder(const std::string& folder, Mover::Warn warn);

// Returns the device (st_dev) that all these files lie on. Fails if they lie on several devices, or
// if one file can't be examined.
Result<uint64_t> common_device(const std::vector<std::string>& paths);

}  // namespace seekless
