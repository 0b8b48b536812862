#include <cerrno>
#include <cstddef>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "packer/host/fence.h"
#include "packer/host/interrupt.h"
#include "packer/host/os_error.h"
#include "packer/host/whole_files.h"
#include "packer/host/write_errors.h"

namespace seekless {
namespace {

constexpr size_t kCopyBytes = size_t{4} << 20;
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

Result<void> write_all(const std::string& path, int descriptor, const std::byte* bytes,
                       size_t count) {
  while (count > 0) {
    const ssize_t put = ::write(descriptor, bytes, count);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed_write(path, errno);
    bytes += put;
    count -= static_cast<size_t>(put);
  }
  return {};
}

Result<void> copy_by_reading(const std::string& from, int source, const std::string& to,
                             int target) {
  std::vector<std::byte> piece(kCopyBytes);
  for (;;) {
    if (is_interrupted()) return interrupted_run(to);
    const ssize_t got = ::read(source, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed_call(from, "read", errno);
    if (got == 0) return {};
    SKL_TRY_DO(write_all(to, target, piece.data(), static_cast<size_t>(got)));
  }
}

// Examines the link itself, not the file that it leads to.
bool look_in(const NameInFolder& place, struct stat& status) {
  errno = place.folder.os_error();
  return place.folder.is_open() && ::fstatat(place.folder.descriptor(), place.name.c_str(), &status,
                                             AT_SYMLINK_NOFOLLOW) == 0;
}

Descriptor open_in(const NameInFolder& place, int how, mode_t mode = 0) {
  errno = place.folder.os_error();
  if (!place.folder.is_open()) return Descriptor(-1);
  return Descriptor(::openat(place.folder.descriptor(), place.name.c_str(), how | O_CLOEXEC, mode));
}

Result<void> give_attributes(const struct stat& status, int target, const std::string& to) {
  // Only root may give files away; other users stay the owners. The owner is set before the
  // permissions, because setting it clears some of them.
  if (::fchown(target, status.st_uid, status.st_gid) != 0 && errno != EPERM)
    return failed_call(to, "give to the same owner", errno);
  if (::fchmod(target, status.st_mode & 07777U) != 0 && errno != EPERM)
    return failed_call(to, "set the permissions of", errno);
  const timespec times[] = {status.st_atim, status.st_mtim};
  if (::futimens(target, times) != 0) return failed_call(to, "set the time of", errno);
  return {};
}

}  // namespace

Result<FileIdentity> identity_of(const std::string& path) {
  struct stat status = {};
  if (!look_in(NameInFolder::of(path), status)) return failed_call(path, "look at", errno);
  return FileIdentity{
      .size_bytes = static_cast<uint64_t>(status.st_size),
      .modified_ns = status.st_mtim.tv_sec * kNanosecondsPerSecond + status.st_mtim.tv_nsec,
      .device = status.st_dev,
      .inode = status.st_ino,
      .is_regular = S_ISREG(status.st_mode)};
}

Result<uint64_t> device_of(const std::string& path) {
  SKL_TRY(const auto identity, identity_of(path));
  return identity.device;
}

Result<void> copy_attributes(const std::string& from, const std::string& to) {
  struct stat status = {};
  const Descriptor source = open_in(NameInFolder::of(from), O_PATH);
  if (source.get() < 0 || ::fstat(source.get(), &status) != 0)
    return failed_call(from, "look at", errno);
  const Descriptor target = open_in(NameInFolder::of(to), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (target.get() < 0) return failed_call(to, "open", errno);
  return give_attributes(status, target.get(), to);
}

Result<void> copy_whole_file(const std::string& from, const std::string& to) {
  struct stat status = {};
  const Descriptor source = open_in(NameInFolder::of(from), O_RDONLY);
  if (source.get() < 0) return failed_call(from, "open", errno);
  if (::fstat(source.get(), &status) != 0) return failed_call(from, "look at", errno);
  // Nobody else can open the copy until it gets the original's permissions.
  const Descriptor target =
      open_in(NameInFolder::of(to), O_WRONLY | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  if (target.get() < 0) return failed_call(to, "create", errno, advice_for_writing(errno));
  if (::ioctl(target.get(), FICLONE, source.get()) != 0)
    SKL_TRY_DO(copy_by_reading(from, source.get(), to, target.get()));
  return give_attributes(status, target.get(), to);
}

Result<bool> link_file(const std::string& from, const std::string& to) {
  const auto source = NameInFolder::of(from);
  const auto target = NameInFolder::of(to);
  for (const auto* place : {&source, &target})
    if (!place->folder.is_open())
      return failed_call(place == &source ? from : to, "link", place->folder.os_error());
  if (::linkat(source.folder.descriptor(), source.name.c_str(), target.folder.descriptor(),
               target.name.c_str(), 0) == 0)
    return true;
  if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK) return false;
  return failed_call(to, "link", errno);
}

Result<void> sync_file(const std::string& path) {
  const Descriptor file = open_in(NameInFolder::of(path), O_RDONLY);
  if (file.get() < 0 || calls::flush(file.get()) != 0) return failed_call(path, "flush", errno);
  return {};
}

Result<uint64_t> free_bytes(const std::string& folder) {
  struct statvfs status = {};
  if (::statvfs(folder.c_str(), &status) != 0)
    return failed_call(folder, "ask for the free space of", errno);
  return static_cast<uint64_t>(status.f_bavail) * status.f_frsize;
}

Result<FileLock> FileLock::take(const std::string& path) {
  const auto place = NameInFolder::of(path);
  Descriptor file =
      open_in(place, O_RDWR | O_CREAT | O_NOFOLLOW, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  if (file.get() < 0) return failed_call(path, "open", errno);
  struct stat mine = {};
  struct stat named = {};
  const bool is_locked = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
  if (!is_locked && errno != EWOULDBLOCK) return failed_call(path, "lock", errno);
  // The previous holder of the lock may have removed the file, and another process may have created
  // it again.
  if (!is_locked || ::fstat(file.get(), &mine) != 0 || !look_in(place, named) ||
      mine.st_ino != named.st_ino || mine.st_dev != named.st_dev)
    return failed({.file = path,
                   .expected = "no other program at work here",
                   .found = "another seekless that has it locked",
                   .advice = "wait until that one is done"});
  return FileLock(std::move(file));
}

}  // namespace seekless
