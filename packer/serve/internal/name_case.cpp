#include "packer/serve/internal/name_case.h"

#include <cerrno>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "packer/host/descriptor.h"

namespace seekless {
namespace {

// Linux' headers before 5.4 lack this constant.
constexpr int kIgnoresCase = 0x40000000;  // FS_CASEFOLD_FL
constexpr uint64_t kVfat = MSDOS_SUPER_MAGIC;
constexpr uint64_t kExfat = 0x2011BAB0;

NameCase case_by_flags(int folder) {
  const Descriptor opened(
      ::open(fmt::format("/proc/self/fd/{}", folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int flags = 0;
  if (opened.get() < 0 || ::ioctl(opened.get(), FS_IOC_GETFLAGS, &flags) != 0)
    return NameCase::unknown;
  return (flags & kIgnoresCase) != 0 ? NameCase::ignores : NameCase::tells;
}

char other_case(char c) {
  const bool is_upper = c >= 'A' && c <= 'Z';
  const bool is_lower = c >= 'a' && c <= 'z';
  return static_cast<char>(is_upper ? c - 'A' + 'a' : is_lower ? c - 'a' + 'A' : c);
}

std::string other_spelling(std::string name) {
  for (char& c : name) c = other_case(c);
  return name;
}

bool leads_to(int folder, const std::string& name, const struct stat& status) {
  struct stat found = {};
  return ::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         found.st_dev == status.st_dev && found.st_ino == status.st_ino;
}

}  // namespace

NameCase name_case_told(int folder) {
  struct statfs space = {};
  if (::fstatfs(folder, &space) != 0) return NameCase::unknown;
  switch (static_cast<uint64_t>(space.f_type)) {
    case EXT4_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
      return case_by_flags(folder);
    case BTRFS_SUPER_MAGIC:
      return NameCase::tells;
    case kVfat:
    case kExfat:
      return NameCase::ignores;
    default:
      return NameCase::unknown;
  }
}

// Looks up another spelling. A link to the same file under that spelling looks like the same name.
// Then the kernel caches less than it could, but nothing is wrong.
NameCase name_case_tried(int folder, const std::string& name, const struct stat& status) {
  const std::string other = other_spelling(name);
  if (other == name) return NameCase::unknown;
  if (leads_to(folder, other, status)) return NameCase::ignores;
  return leads_to(folder, name, status) ? NameCase::tells : NameCase::unknown;
}

}  // namespace seekless
