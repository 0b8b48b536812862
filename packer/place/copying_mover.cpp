// Moves files on file systems that have no call for it. The file is copied in one go, in order, so
// that most file systems place the copy contiguously. Then the copy takes the file's name.
//
// The copy has no name until it has all of the file's data and attributes. Then it gets a temporary
// name, the two files exchange names, and the old file is removed under the temporary name. So the
// file is complete at every moment, and a killed run leaves at most one temporary name, which the
// next run clears.
//
// Files that some program has open aren't moved, because writes would go to the old file. A lease
// shows whether a program has the file open or opens it later, and makes such a program wait until
// the lease ends. If one opens it before the old file is removed, the names are exchanged back, so
// that the program opens the file that has the name.
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/leftovers.h"
#include "packer/host/reserved_extents.h"
#include "packer/place/internal/copied_pieces.h"
#include "packer/place/internal/kept_attributes.h"
#include "packer/place/internal/lease.h"
#include "packer/place/internal/movers.h"
#include "packer/place/internal/opened_file.h"

namespace seekless {
namespace {

// A new file in a folder that gets its name only at the end.
class FileCopy {
 public:
  static std::expected<FileCopy, int> create(int folder) {
    const auto name = new_temporary_name();
    if (!name) return std::unexpected(EIO);
    FileCopy copy(folder, *name,
                  Descriptor(::openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, kPrivate)));
    if (copy.file() >= 0) return copy;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL)
      return std::unexpected(errno);
    // The file system can't create files without a name.
    FileCopy named(
        folder, *name,
        Descriptor(::openat(folder, name->c_str(),
                            O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate)));
    if (named.file() < 0) return std::unexpected(errno);
    named.has_name_ = true;
    if (const int failure = named.lock()) return std::unexpected(failure);
    return named;
  }
  FileCopy(FileCopy&& other) noexcept
      : folder_(other.folder_),
        name_(std::move(other.name_)),
        file_(std::move(other.file_)),
        has_name_(std::exchange(other.has_name_, false)) {}
  FileCopy& operator=(FileCopy&&) = delete;
  ~FileCopy() { remove(); }

  int file() const { return file_.get(); }
  const char* name() const { return name_.c_str(); }

  // Returns 0, or the error.
  int give_name() {
    if (has_name_) return 0;
    if (const int failure = lock()) return failure;
    const std::string path = fmt::format("/proc/self/fd/{}", file());
    // The first call needs root before Linux 6.10; the second needs /proc.
    if (::linkat(file(), "", folder_, name(), AT_EMPTY_PATH) != 0 &&
        ::linkat(AT_FDCWD, path.c_str(), folder_, name(), AT_SYMLINK_FOLLOW) != 0)
      return errno;
    has_name_ = true;
    return 0;
  }

  // Removes the file that has the temporary name.
  void remove() {
    if (std::exchange(has_name_, false)) ::unlinkat(folder_, name(), 0);
  }
  void leave() { has_name_ = false; }

 private:
  static constexpr mode_t kPrivate = S_IRUSR | S_IWUSR;

  FileCopy(int folder, std::string name, Descriptor file)
      : folder_(folder), name_(std::move(name)), file_(std::move(file)) {}

  // Locks the file, so that no other run treats it as left by a killed run.
  int lock() const { return ::flock(file(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }

  int folder_;
  std::string name_;
  Descriptor file_;
  bool has_name_ = false;
};

bool has_name(int folder, const char* name, int file) {
  struct stat named = {};
  struct stat opened = {};
  return ::fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(file, &opened) == 0 &&
         named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

// Puts the copy in the old file's place, and the old one back if somebody opens it at this moment.
class Exchange {
 public:
  Exchange(const MovedFile& old, const Lease& lease, FileCopy& copy)
      : old_(old), lease_(lease), copy_(copy) {}

  // Returns 0, or the error; on an error the old file keeps its name.
  int run() {
    if (::fsync(copy_.file()) != 0) return errno;
    if (!is_as_before()) return EBUSY;
    // The old file will have the temporary name for a while.
    if (::flock(old_.file.get(), LOCK_EX | LOCK_NB) != 0) return errno;
    if (const int failure = copy_.give_name()) return failure;
    if (const int failure = exchange()) return failure;
    // A program that found the old file just before may open it while this waits for the disk.
    const int flushed = ::fsync(old_.folder.get()) == 0 ? 0 : errno;
    if (flushed == 0 && lease_.holds() && is_replaced()) {
      copy_.remove();
      return 0;
    }
    const int failure = exchange_back();
    return failure != 0 ? failure : flushed != 0 ? flushed : EBUSY;
  }

 private:
  bool is_as_before() const {
    struct stat now = {};
    return lease_.holds() && ::fstat(old_.file.get(), &now) == 0 && is_unchanged(old_.status, now);
  }

  // Returns true if the old file has the temporary name, and is unchanged except for its change
  // time.
  bool is_replaced() const {
    struct stat now = {};
    if (!has_name(old_.folder.get(), copy_.name(), old_.file.get())) return false;
    if (::fstat(old_.file.get(), &now) != 0) return false;
    now.st_ctim = old_.status.st_ctim;
    return is_unchanged(old_.status, now);
  }

  int exchange() const {
    const int folder = old_.folder.get();
    return ::renameat2(folder, copy_.name(), folder, old_.name.c_str(), RENAME_EXCHANGE) == 0
               ? 0
               : errno;
  }

  // Exchanges the names again. If others have meanwhile put another file in this place, that file
  // stays.
  int exchange_back() {
    const int failure = exchange();
    if (failure != 0 && failure != ENOENT) copy_.leave();
    if (failure == 0 && !has_name(old_.folder.get(), copy_.name(), copy_.file())) return exchange();
    return failure;
  }

  const MovedFile& old_;
  const Lease& lease_;
  FileCopy& copy_;
};

class CopyingRoom final : public ReservedRoom {
 public:
  CopyingRoom(std::vector<FileExtents> files, Mover::Warn warn)
      : files_(std::move(files)), warn_(std::move(warn)) {}

  const std::vector<std::vector<Extent>>& places() const override { return places_; }

  Result<bool> move(size_t i) override {
    const std::string& path = files_[i].path;
    auto old = open_to_move(path, O_RDONLY);
    if (!old) return stays(warn_, old.error().message);
    if (old->status.st_nlink != 1)
      return stays(warn_, fmt::format("{}: has {} names, and a copy would have one; {}", path,
                                      old->status.st_nlink, kStays));
    const auto lease = Lease::take(old->file.get(), Lease::Against::everybody);
    if (!lease) return ended(path, lease.error(), "make sure that nobody opens");
    if (const int failure = settled_status(old->file.get(), old->status))
      return ended(path, failure);
    auto copy = FileCopy::create(old->folder.get());
    if (!copy) return ended(path, copy.error(), "make a file beside");
    const auto failure = write(path, *old, *lease, copy->file());
    if (!failure) return stays(warn_, failure.error().message);
    if (*failure != 0) return ended(path, *failure);
    if (const int os_error = Exchange(*old, *lease, *copy).run()) return ended(path, os_error);
    return true;
  }

 private:
  Result<bool> ended(const std::string& path, int os_error, const char* action = "move") const {
    if (os_error == EAGAIN || os_error == EBUSY)
      return stays(warn_, path + ": is open in another program; " + kStays);
    return after_failed_move(path, os_error, warn_, action);
  }

  // Makes the copy equal to the file. Returns 0, or the error code. Fails if an attribute can't be
  // copied.
  static Result<int> write(const std::string& path, const MovedFile& old, const Lease& lease,
                           int copy) {
    const int file = old.file.get();
    SKL_TRY(const auto now, read_open_extents(file, path));
    SKL_TRY_DO(keep_flags(file, path, copy));
    if (::ftruncate(copy, old.status.st_size) != 0) return errno;
    if (const int failure = reserve_pieces(copy, now.extents)) return failure;
    const auto goes_on = [&] { return lease.holds(); };
    if (const int failure = copy_pieces(file, now.extents, copy, 0, goes_on)) return failure;
    SKL_TRY_DO(keep_attributes(file, path, old.status, copy));
    return 0;
  }

  std::vector<FileExtents> files_;
  std::vector<std::vector<Extent>> places_;  // always empty
  Mover::Warn warn_;
};

}  // namespace

Mover make_copying_mover(Mover::Warn warn) {
  return {.way = "copied and renamed, as this file system can't move files",
          .reserve = [warn = std::move(warn)](std::vector<FileExtents> files) {
            return std::make_unique<CopyingRoom>(std::move(files), warn);
          }};
}

}  // namespace seekless
