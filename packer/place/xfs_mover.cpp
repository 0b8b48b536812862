// Moves files within XFS: each is copied to its place in a file without a name, which was given the
// room for all of them in one piece, and from there shared with another one without a name, as
// clones of files are. That one and the file exchange all they hold at once, by XFS_IOC_SWAPEXT,
// the call of xfs_fsr. So at every moment the file has its own bytes, here or there, and keeps its
// name, number and times; what is without a name goes with this process.
//
// Nothing that somebody writes meanwhile is lost:
// - The call is given the times that the file had before it was copied, and refuses if it has
//   others by now: a write sets them, and so does a store to mapped memory, for which the copying
//   flushed the file. Times that a write within the same tick of the clock would set again aren't
//   taken: is_settled().
// - Asynchronous writes past the cache set them when they begin, and store later. So what anybody
//   has open for writing once those times are known isn't moved.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/host/interrupt.h"
#include "packer/place/movers.h"
#include "packer/place/placed_loads.h"
#include "packer/place/reserved_file.h"

namespace seekless {
namespace {

// xfs_fs.h of xfsprogs; no header of the C library has it.
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

constexpr size_t kSwappedBuffer = size_t{4} << 20;
constexpr auto kPatience = std::chrono::milliseconds(200);

// To `begin` and on. 0, or why not.
int copy_pieces(int from, const std::vector<Extent>& pieces, int to, uint64_t begin) {
  std::vector<std::byte> buffer(kSwappedBuffer);
  for (const Extent& piece : pieces)
    for (uint64_t done = 0; done < piece.length_bytes;) {
      stop_if_interrupted();
      const uint64_t at = piece.offset_bytes + done;
      const uint64_t count = std::min<uint64_t>(buffer.size(), piece.length_bytes - done);
      const ssize_t got = ::pread(from, buffer.data(), count, static_cast<off_t>(at));
      if (got < 0) return errno;
      if (got == 0) return EBUSY;  // it has become shorter
      const ssize_t written =
          ::pwrite(to, buffer.data(), static_cast<size_t>(got), static_cast<off_t>(begin + at));
      if (written < 0) return errno;
      done += static_cast<uint64_t>(written);
    }
  return 0;
}

// Clones them, and lets go of the first, as what is shared can't be exchanged. 0, or why not:
// EOPNOTSUPP on an XFS that has no clones.
int hand_over_pieces(int from, uint64_t begin, const FileExtents& file, int to) {
  // Before it has any: what is shared within a block that this cuts can't be exchanged.
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

// A lease to read is given only where nobody has the file open for writing; it is given back at
// once. 0, or why not: EAGAIN if somebody has.
int check_nobody_writes(int file) {
  // Whoever opens it for writing in between makes the kernel send a signal, which by default would
  // end this process; this one is ignored by default.
  if (::fcntl(file, F_SETSIG, SIGURG) != 0 || ::fcntl(file, F_SETLEASE, F_RDLCK) != 0) return errno;
  return ::fcntl(file, F_SETLEASE, F_UNLCK) != 0 ? errno : 0;
}

// With times that any later write changes. EBUSY: it is being written all the time.
int settled_status(int file, struct stat& status) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (::fstat(file, &status) == 0) {
    const int64_t changed_ns = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec;
    if (is_settled({.changed_ns = changed_ns}, file_clock_ns())) return 0;
    if (std::chrono::steady_clock::now() > end) return EBUSY;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return errno;
}

// 0, or why not.
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
    const int failure = exchange(file, reserved_.begins()[i]);
    if (failure == 0) return true;
    if (failure == EINVAL || failure == EOPNOTSUPP || failure == ENOTTY) return copy(file);
    if (failure == ENOSPC || failure == EIO || failure == EROFS || failure == EDQUOT)
      return failed_call(file.path, "move", failure, "its bytes are as they were");
    if (failure == EBUSY || failure == EAGAIN || failure == ETXTBSY)
      warn_(file.path + ": is being written; it stays where it is");
    else
      warn_(failed_call(file.path, "move", failure, "it stays where it is").error().message);
    return false;
  }

 private:
  // 0, or why not.
  int exchange(const FileExtents& file, uint64_t begin) const {
    const Descriptor read(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (read.get() < 0) return errno;
    struct stat status = {};
    if (const int failure = settled_status(read.get(), status)) return failure;
    if (const int failure = check_nobody_writes(read.get())) return failure;
    const auto now = read_extents(file.path);  // flushes it, too
    if (!now || now->extents != file.extents || now->size_bytes != file.size_bytes) return EBUSY;
    const Descriptor opened(::open(file.path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (opened.get() < 0) return errno;
    const int reserved = reserved_.descriptor();
    if (const int failure = copy_pieces(read.get(), file.extents, reserved, begin)) return failure;
    const Descriptor donor(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (donor.get() < 0) return errno;
    // Quotas refuse to exchange what is of different users; that this isn't allowed, they say.
    static_cast<void>(::fchown(donor.get(), status.st_uid, status.st_gid) == 0);
    if (const int failure = hand_over_pieces(reserved, begin, file, donor.get())) return failure;
    return swap_extents(opened.get(), donor.get(), status);
  }

  Result<bool> copy(const FileExtents& file) const {
    auto room = make_copying_mover(warn_)->reserve({file});
    if (!room) return std::unexpected(room.error());
    return (*room)->move(0);
  }

  ReservedFile reserved_;
  std::string folder_;
  std::vector<FileExtents> files_;
  Mover::Warn warn_;
};

class XfsMover final : public Mover {
 public:
  XfsMover(std::string folder, Warn warn) : folder_(std::move(folder)), warn_(std::move(warn)) {}
  const char* way() const override { return "moved within XFS"; }

  Result<std::unique_ptr<ReservedRoom>> reserve(std::vector<FileExtents> files) override {
    auto reserved = ReservedFile::create(folder_, files);
    if (!reserved) return std::unexpected(reserved.error());
    return std::make_unique<XfsRoom>(*std::move(reserved), folder_, std::move(files), warn_);
  }

 private:
  std::string folder_;
  Warn warn_;
};

}  // namespace

std::unique_ptr<Mover> make_xfs_mover(std::string folder, Mover::Warn warn) {
  return std::make_unique<XfsMover>(std::move(folder), std::move(warn));
}

}  // namespace seekless
