// Moves files within XFS. Each is copied into a file without a name, whose room for all of them was
// reserved in one piece. Another file without a name then gets this copy as a clone. This clone and
// the file exchange all their data at once, by XFS_IOC_SWAPEXT, the call of xfs_fsr. So the file
// always has its own bytes, in one place or the other, and keeps its name, inode number and times.
// The kernel frees the files without a name when this process ends.
//
// No write that happens meanwhile is lost:
// - The call gets the file's times from before the copying, and refuses if they have changed: a
//   write changes them, and so does a store to mapped memory, because copying flushed the file.
//   Times so recent that another write might set them again, within the same clock tick, aren't
//   used: is_settled().
// - Asynchronous direct writes set the times when they begin, and write later. So a file isn't
//   moved if, once those times are known, some program has it open for writing: a lease shows that.
#include <array>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/reserved_extents.h"
#include "packer/place/internal/copied_pieces.h"
#include "packer/place/internal/lease.h"
#include "packer/place/internal/movers.h"
#include "packer/place/internal/opened_file.h"
#include "packer/place/internal/reserved_file.h"
#include "packer/place/placed_loads.h"

namespace seekless {
namespace {

// From xfs_fs.h of xfsprogs; the C library's headers lack it.
struct XfsTime {
  long seconds;
  int32_t nanoseconds;
};
struct XfsStatus {
  std::array<uint64_t, 5> unchecked_front;
  XfsTime accessed;
  XfsTime modified;
  XfsTime changed;
  std::array<uint64_t, 6> unchecked_back;
};
struct SwapExtents {
  int64_t version;
  int64_t file;
  int64_t donor;
  int64_t offset_bytes;
  int64_t length_bytes;
  std::array<char, 16> unused;
  XfsStatus status;
};
static_assert(sizeof(SwapExtents) == 192);
constexpr unsigned long kSwapExtents = _IOWR('X', 109, SwapExtents);

// Clones the pieces, and removes them from the first file, because shared pieces can't be
// exchanged. Returns 0, or the error: EOPNOTSUPP on an XFS without clones.
int hand_over_pieces(int from, uint64_t begin, const FileExtents& file, int to) {
  // The size is set while the file is empty. Setting it later would truncate a block, and a
  // truncated block can't be exchanged if it is shared.
  if (::ftruncate(to, static_cast<off_t>(file.size_bytes)) != 0) return errno;
  for (const Extent& piece : file.extents) {
    file_clone_range request = {.src_fd = from,
                                .src_offset = begin + piece.offset_bytes,
                                .src_length = piece.length_bytes,
                                .dest_offset = piece.offset_bytes};
    if (::ioctl(to, FICLONERANGE, &request) != 0) return errno;
  }
  if (::fallocate(from, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                  static_cast<off_t>(whole_blocks(file.size_bytes))) != 0)
    return errno;
  for (const Extent& piece : file.extents)
    if (::fallocate(to, FALLOC_FL_UNSHARE_RANGE, static_cast<off_t>(piece.offset_bytes),
                    static_cast<off_t>(piece.length_bytes)) != 0)
      return errno;
  return 0;
}

// Returns 0, or the error.
int swap_extents(int file, int donor, const struct stat& status) {
  SwapExtents request = {};
  request.file = file;
  request.donor = donor;
  request.length_bytes = status.st_size;
  request.status.modified = {status.st_mtim.tv_sec, static_cast<int32_t>(status.st_mtim.tv_nsec)};
  request.status.changed = {status.st_ctim.tv_sec, static_cast<int32_t>(status.st_ctim.tv_nsec)};
  return ::ioctl(file, kSwapExtents, &request) == 0 ? 0 : errno;
}

class XfsRoom final : public ReservedRoom {
 public:
  XfsRoom(ReservedFile reserved, std::string folder, std::vector<FileExtents> files,
          Mover::Warn warn)
      : reserved_(std::move(reserved)),
        folder_(std::move(folder)),
        files_(std::move(files)),
        warn_(std::move(warn)) {}

  const std::vector<std::vector<Extent>>& places() const override { return reserved_.places(); }

  Result<bool> move(size_t i) override {
    const FileExtents& file = files_[i];
    const auto failure = open_and_exchange(file, reserved_.begins()[i]);
    if (!failure) return stays(warn_, failure.error().message);
    if (*failure == 0) return true;
    // The file shares pieces with others, or this XFS can't share any.
    if (*failure == EINVAL || *failure == EOPNOTSUPP || *failure == ENOTTY)
      return move_by(make_sharing_mover(warn_), file);
    return after_failed_move(file.path, *failure, warn_);
  }

 private:
  // Opens the file, and does what exchange() does. Fails if it can't be opened.
  Result<int> open_and_exchange(const FileExtents& file, uint64_t begin) const {
    SKL_TRY(auto found, open_to_move(file.path, O_RDONLY));
    return exchange(file, found, begin);
  }

  // Returns 0, or the error.
  int exchange(const FileExtents& file, MovedFile& found, uint64_t begin) const {
    const int read = found.file.get();
    if (const int failure = settled_status(read, found.status)) return failure;
    if (const auto lease = Lease::take(read, Lease::Against::writers); !lease) return lease.error();
    const auto now = read_open_extents(read, file.path);  // also flushes it
    if (!now || now->extents != file.extents || now->size_bytes != file.size_bytes) return EBUSY;
    const auto opened = open_to_move(file.path, O_RDWR);
    if (!opened || opened->status.st_ino != found.status.st_ino) return EBUSY;
    const int reserved = reserved_.descriptor();
    if (const int failure = copy_pieces(read, file.extents, reserved, begin)) return failure;
    const Descriptor donor(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (donor.get() < 0) return errno;
    // The donor gets the file's owner, because quotas refuse an exchange between different users.
    // If that isn't allowed, the exchange itself fails.
    static_cast<void>(::fchown(donor.get(), found.status.st_uid, found.status.st_gid) == 0);
    if (const int failure = hand_over_pieces(reserved, begin, file, donor.get())) return failure;
    return swap_extents(opened->file.get(), donor.get(), found.status);
  }

  ReservedFile reserved_;
  std::string folder_;
  std::vector<FileExtents> files_;
  Mover::Warn warn_;
};

Result<std::unique_ptr<ReservedRoom>> reserve_in_xfs(const std::string& folder,
                                                     const Mover::Warn& warn,
                                                     std::vector<FileExtents> files) {
  SKL_TRY(auto reserved, ReservedFile::create(folder, files));
  return std::make_unique<XfsRoom>(std::move(reserved), folder, std::move(files), warn);
}

}  // namespace

Mover make_xfs_mover(std::string folder, Mover::Warn warn) {
  return {.way = "moved within XFS",
          .reserve = std::bind_front(reserve_in_xfs, std::move(folder), std::move(warn))};
}

}  // namespace seekless
