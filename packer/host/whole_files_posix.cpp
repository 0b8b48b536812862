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

#include "packer/host/interrupt.h"
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
    if (auto put = write_all(to, target, piece.data(), static_cast<size_t>(got)); !put) return put;
  }
}

}  // namespace

Result<FileIdentity> identity_of(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return failed_call(path, "look at", errno);
  return FileIdentity{
      .size_bytes = static_cast<uint64_t>(status.st_size),
      .modified_ns = status.st_mtim.tv_sec * kNanosecondsPerSecond + status.st_mtim.tv_nsec,
      .device = status.st_dev,
      .inode = status.st_ino,
      .is_regular = S_ISREG(status.st_mode)};
}

Result<void> copy_attributes(const std::string& from, const std::string& to) {
  struct stat status = {};
  if (::stat(from.c_str(), &status) != 0) return failed_call(from, "look at", errno);
  // Only root may give files away; whoever may not keeps them. Before the permissions, since it
  // clears some of them.
  if (::chown(to.c_str(), status.st_uid, status.st_gid) != 0 && errno != EPERM)
    return failed_call(to, "give to the same owner", errno);
  if (::chmod(to.c_str(), status.st_mode & 07777U) != 0 && errno != EPERM)
    return failed_call(to, "set the permissions of", errno);
  const timespec times[] = {status.st_atim, status.st_mtim};
  if (::utimensat(AT_FDCWD, to.c_str(), times, 0) != 0)
    return failed_call(to, "set the time of", errno);
  return {};
}

Result<void> copy_whole_file(const std::string& from, const std::string& to) {
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.get() < 0) return failed_call(from, "open", errno);
  // For nobody else until it gets the permissions of the other.
  const Descriptor target(
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (target.get() < 0) return failed_call(to, "create", errno, advice_for_writing(errno));
  if (::ioctl(target.get(), FICLONE, source.get()) != 0)
    if (auto copied = copy_by_reading(from, source.get(), to, target.get()); !copied) return copied;
  return copy_attributes(from, to);
}

Result<bool> link_file(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return true;
  if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK) return false;
  return failed_call(to, "link", errno);
}

Result<void> sync_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
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
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                         S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));
  if (file.get() < 0) return failed_call(path, "open", errno);
  struct stat mine = {};
  struct stat named = {};
  const bool is_locked = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
  if (!is_locked && errno != EWOULDBLOCK) return failed_call(path, "lock", errno);
  // Whoever had the lock may have removed the file meanwhile, and another one made it anew.
  if (!is_locked || ::fstat(file.get(), &mine) != 0 || ::lstat(path.c_str(), &named) != 0 ||
      mine.st_ino != named.st_ino || mine.st_dev != named.st_dev)
    return failed({.file = path,
                   .expected = "no other program at work here",
                   .found = "another seekless that has it locked",
                   .advice = "wait until that one is done"});
  return FileLock(std::move(file));
}

}  // namespace seekless
