#include <array>
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/fence.h"
#include "packer/host/internal/access.h"

namespace seekless {
namespace {

constexpr const char* kAccessList = "system.posix_acl_access";
constexpr size_t kMostAttributeListBytes = 65536;  // limit of any extended attribute on Linux

// Returns true if both files now have the same list, or neither has one. `replaced` was opened with
// O_PATH, so its list is read through /proc, or by its path if /proc is missing.
bool copy_access_list(int descriptor, int replaced, const std::string& path) {
  std::array<char, kMostAttributeListBytes> list;
  const std::string open = "/proc/self/fd/" + std::to_string(replaced);
  ssize_t size = ::getxattr(open.c_str(), kAccessList, list.data(), list.size());
  if (size < 0 && errno == ENOENT)
    size = ::getxattr(path.c_str(), kAccessList, list.data(), list.size());
  if (size > 0)
    return ::fsetxattr(descriptor, kAccessList, list.data(), static_cast<size_t>(size), 0) == 0;
  // The new file may have inherited a list from its folder.
  ::fremovexattr(descriptor, kAccessList);
  return ::fgetxattr(descriptor, kAccessList, nullptr, 0) <= 0;
}

// Returns the rights for a file whose group couldn't be kept: the new group gets only the rights
// that everybody had.
mode_t without_group(mode_t mode) {
  return mode & (static_cast<mode_t>(~S_IRWXG) | ((mode & S_IRWXO) << 3U));
}

}  // namespace

void take_over_access(int descriptor, const std::string& replaced) noexcept {
  struct stat old = {};
  struct stat now = {};
  const auto place = NameInFolder::of(replaced);
  if (!place.folder.is_open()) return;
  const Descriptor file(
      ::openat(place.folder.descriptor(), place.name.c_str(), O_PATH | O_CLOEXEC));
  if (file.get() < 0 || ::fstat(file.get(), &old) != 0 || ::fstat(descriptor, &now) != 0) return;
  mode_t mode = old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  constexpr auto kSame = static_cast<uid_t>(-1);
  const bool has_group = now.st_gid == old.st_gid || ::fchown(descriptor, kSame, old.st_gid) == 0;
  // Only root may give files away; other users stay the owners of what they write.
  if (now.st_uid != old.st_uid) (void)::fchown(descriptor, old.st_uid, kSame);
  const bool has_list = copy_access_list(descriptor, file.get(), replaced);
  if (!has_group || !has_list) mode = without_group(mode);
  // File systems without permissions refuse this; all their files have the same rights.
  (void)::fchmod(descriptor, mode);
}

}  // namespace seekless
