#include "packer/place/internal/kept_attributes.h"

#include <array>
#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "packer/host/os_error.h"
#include "packer/place/internal/movers.h"

namespace seekless {
namespace {

// Linux's limit for a list of names, and for a value.
constexpr size_t kMostAttributeBytes = 65536;

// The file system sets these flags by itself. From fs/ext4/ext4.h of Linux: an index, a large file,
// extents, an attribute's own file, data within the inode.
constexpr unsigned kOwnFlags = 0x1000 | 0x40000 | 0x80000 | 0x200000 | 0x10000000;
constexpr unsigned kOwnXflags = FS_XFLAG_HASATTR | FS_XFLAG_PREALLOC;

std::unexpected<Error> cannot_keep(const std::string& path, const std::string& what, int os_error) {
  return failed_call(path, "copy " + what + " of", os_error, kStays);
}

// Returns 0 if the file system doesn't support flags.
unsigned flags_of(int file) {
  int flags = 0;
  return ::ioctl(file, FS_IOC_GETFLAGS, &flags) == 0 ? static_cast<unsigned>(flags) : 0;
}

fsxattr xflags_of(int file) {
  fsxattr found = {};
  if (::ioctl(file, FS_IOC_FSGETXATTR, &found) != 0) found = {};
  found.fsx_xflags &= ~kOwnXflags;
  found.fsx_nextents = 0;
  return found;
}

bool is_same(const fsxattr& a, const fsxattr& b) {
  return a.fsx_xflags == b.fsx_xflags && a.fsx_extsize == b.fsx_extsize &&
         a.fsx_projid == b.fsx_projid && a.fsx_cowextsize == b.fsx_cowextsize;
}

using Attributes = std::map<std::string, std::string>;

Result<Attributes> attributes_of(int file, const std::string& path) {
  Attributes attributes;
  std::vector<char> names(kMostAttributeBytes);
  std::vector<char> value(kMostAttributeBytes);
  const ssize_t length = ::flistxattr(file, names.data(), names.size());
  if (length < 0 && errno == EOPNOTSUPP) return attributes;
  if (length < 0) return cannot_keep(path, "the attributes", errno);
  for (ssize_t at = 0; at < length;) {
    const std::string name = names.data() + at;
    at += static_cast<ssize_t>(name.size()) + 1;
    const ssize_t got = ::fgetxattr(file, name.c_str(), value.data(), value.size());
    if (got < 0) return cannot_keep(path, "the attribute " + name, errno);
    attributes[name].assign(value.data(), static_cast<size_t>(got));
  }
  return attributes;
}

// Copies extended attributes. The copy may already have some from its folder's rules.
Result<void> keep_extended(int from, const std::string& path, int to) {
  SKL_TRY(const auto wanted, attributes_of(from, path));
  SKL_TRY(const auto present, attributes_of(to, path));
  for (const auto& [name, value] : present)
    if (!wanted.contains(name) && ::fremovexattr(to, name.c_str()) != 0)
      return cannot_keep(path, "the lack of the attribute " + name, errno);
  for (const auto& [name, value] : wanted) {
    const auto there = present.find(name);
    if (there != present.end() && there->second == value) continue;
    if (::fsetxattr(to, name.c_str(), value.data(), value.size(), 0) != 0)
      return cannot_keep(path, "the attribute " + name, errno);
  }
  return {};
}

Result<void> check_same(const struct stat& wanted, const std::string& path, int to) {
  struct stat now = {};
  if (::fstat(to, &now) != 0) return cannot_keep(path, "the permissions", errno);
  if (now.st_mode == wanted.st_mode && now.st_uid == wanted.st_uid && now.st_gid == wanted.st_gid &&
      now.st_size == wanted.st_size)
    return {};
  return failed({.file = path,
                 .expected = fmt::format("a copy with the permissions {:o}", wanted.st_mode),
                 .found = fmt::format("that the system makes them {:o}", now.st_mode),
                 .advice = kStays});
}

}  // namespace

Result<void> keep_flags(int from, const std::string& path, int to) {
  const unsigned wanted = flags_of(from);
  const unsigned present = flags_of(to);
  if (((wanted ^ present) & ~kOwnFlags) != 0) {
    auto flags = static_cast<int>((wanted & ~kOwnFlags) | (present & kOwnFlags));
    const bool is_set = ::ioctl(to, FS_IOC_SETFLAGS, &flags) == 0;
    const int os_error = is_set ? EOPNOTSUPP : errno;
    if (!is_set || ((flags_of(to) ^ wanted) & ~kOwnFlags) != 0)
      return cannot_keep(path, "the flags (see lsattr)", os_error);
  }
  fsxattr wanted_xflags = xflags_of(from);
  if (is_same(wanted_xflags, xflags_of(to))) return {};
  if (::ioctl(to, FS_IOC_FSSETXATTR, &wanted_xflags) != 0)
    return cannot_keep(path, "the project and flags", errno);
  return {};
}

Result<void> keep_attributes(int from, const std::string& path, const struct stat& status, int to) {
  struct stat now = {};
  if (::fstat(to, &now) != 0) return cannot_keep(path, "the owner", errno);
  if ((now.st_uid != status.st_uid || now.st_gid != status.st_gid) &&
      ::fchown(to, status.st_uid, status.st_gid) != 0)
    return cannot_keep(path, "the owner and group", errno);
  // Changing the owner clears capabilities and set-ID bits, which are set next.
  SKL_TRY_DO(keep_extended(from, path, to));
  if (::fchmod(to, status.st_mode & 07777U) != 0)
    return cannot_keep(path, "the permissions", errno);
  const std::array<timespec, 2> times = {status.st_atim, status.st_mtim};
  if (::futimens(to, times.data()) != 0) return cannot_keep(path, "the times", errno);
  return check_same(status, path, to);
}

}  // namespace seekless
