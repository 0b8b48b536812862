// Puts whole files next to each other on their disk, in the order given. Their bytes and names stay
// the same at every moment, whatever ends the process.
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

// Room that is reserved for files, and where it lies.
class ReservedRoom {
 public:
  virtual ~ReservedRoom() = default;
  // By file, as it will lie once it is moved. None where the file system doesn't say beforehand.
  virtual const std::vector<std::vector<Extent>>& places() const = 0;
  // Moves file number `i`. False, with a warning, if it stays where it is: it can't be opened, is
  // in use as a program, has changed. Error: a failure that other files would meet, too; or an
  // interrupt.
  virtual Result<bool> move(size_t i) = 0;
};

struct Mover {
  using Warn = std::function<void(std::string_view)>;
  const char* way;  // "moved within the file system": for people
  // Reserves some room for each of the files, all of one file system. Error: there isn't as much.
  std::function<Result<std::unique_ptr<ReservedRoom>>(std::vector<FileExtents> files)> reserve;
};

// On ext4 extents are exchanged with those of a file without a name that was given room in one
// piece, on XFS with those of a copy without a name; on Btrfs each file shares such a copy;
// elsewhere the copy takes its name. `folder` is on the file system. Error: none of these is safe
// there: overlays, networks, FUSE, and what isn't known.
Result<Mover> mover_for(const std::string& folder, Mover::Warn warn);

// The device (st_dev) that all of them lie on. Error: they lie on several, or one can't be looked
// at.
Result<uint64_t> common_device(const std::vector<std::string>& paths);

}  // namespace seekless
