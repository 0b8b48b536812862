#include <cerrno>

#include <linux/magic.h>
#include <sys/vfs.h>

#include "packer/host/os_error.h"
#include "packer/place/internal/movers.h"
#include "packer/place/internal/reserved_file.h"
#include "packer/place/mover.h"
#include "packer/place/placed_loads.h"

namespace seekless {

namespace {

class RoomOfFile final : public FoundRoom {
 public:
  explicit RoomOfFile(ReservedFile file) : file_(std::move(file)) {}
  const std::vector<std::vector<Extent>>& places() const override { return file_.places(); }

 private:
  ReservedFile file_;
};

}  // namespace

Result<Mover> mover_for(const std::string& folder, Mover::Warn warn) {
  struct statfs space = {};
  if (::statfs(folder.c_str(), &space) != 0)
    return failed_call(folder, "ask for the file system of", errno);
  switch (static_cast<uint64_t>(space.f_type)) {
    case EXT4_SUPER_MAGIC:
      if (space.f_bsize == kBlockBytes) return make_ext4_mover(folder, std::move(warn));
      return make_copying_mover(std::move(warn));
    case XFS_SUPER_MAGIC:
      return make_xfs_mover(folder, std::move(warn));
    case BTRFS_SUPER_MAGIC:
      return make_sharing_mover(std::move(warn));
    case F2FS_SUPER_MAGIC:
      return make_copying_mover(std::move(warn));
    default:
      break;
  }
  return failed({.file = folder,
                 .expected = "ext4, XFS, Btrfs or F2FS",
                 .found = "another file system, which may not tell who writes to a file meanwhile, "
                          "or may keep more of it than a copy would have",
                 .advice = "of an overlay, place what lies in its upper folder"});
}

FindRoom room_finder(const std::string& folder, Mover::Warn) {
  return [folder](const std::vector<FileExtents>& files) -> Result<std::unique_ptr<FoundRoom>> {
    SKL_TRY(auto file, ReservedFile::create(folder, files));
    return std::make_unique<RoomOfFile>(std::move(file));
  };
}

Result<bool> after_failed_move(const std::string& path, int os_error, const Mover::Warn& warn,
                               const char* action) {
  if (os_error == ENOSPC || os_error == EIO || os_error == EROFS || os_error == EDQUOT)
    return failed_call(path, action, os_error, "its bytes are as they were");
  if (os_error == EBUSY || os_error == EAGAIN || os_error == ETXTBSY)
    warn(path + ": is being written; " + kStays);
  else
    warn(failed_call(path, action, os_error, kStays).error().message);
  return false;
}

Result<bool> move_by(const Mover& way, const FileExtents& file) {
  SKL_TRY(auto room, way.reserve({file}));
  return room->move(0);
}

}  // namespace seekless
