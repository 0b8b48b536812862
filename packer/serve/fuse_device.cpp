// Opens FUSE's device, or says why it can't be opened, and what to do.
#include <cerrno>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "packer/host/os_error.h"
#include "packer/serve/serving_parts.h"

namespace seekless {
namespace {

constexpr const char* kDevice = "/dev/fuse";
// Linux's Documentation/admin-guide/devices.txt has these numbers.
constexpr unsigned kMajor = 10;
constexpr unsigned kMinor = 229;

constexpr const char* kInContainers = "in containers --device /dev/fuse";
constexpr const char* kInSandboxes = "in sandboxes bwrap --dev-bind /dev/fuse /dev/fuse";
constexpr const char* kMake = "as root mknod -m 666 /dev/fuse c 10 229";
constexpr const char* kOtherwise = ", or use 'seekless warm'";

bool is_fuse(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == ::makedev(kMajor, kMinor);
}

std::unexpected<Error> not_fuse(const struct stat& status) {
  return failed(
      {.file = kDevice,
       .expected = fmt::format("FUSE's device, number {}:{}", kMajor, kMinor),
       .found = S_ISCHR(status.st_mode)
                    ? fmt::format("device {}:{}", ::major(status.st_rdev), ::minor(status.st_rdev))
                    : "no device",
       .advice =
           fmt::format("{}; elsewhere remove it, and {}{}", kInContainers, kMake, kOtherwise)});
}

// Returns true if FUSE is built in, or its module is loaded.
bool kernel_has_fuse() {
  std::ifstream file("/proc/filesystems");
  for (std::string word; file >> word;)
    if (word == "fuse") return true;
  return false;
}

std::string advice_where_missing() {
  if (!kernel_has_fuse()) return kNoFuse;
  return fmt::format("the kernel has FUSE, but its device isn't here: {}; {}; elsewhere {}",
                     kInContainers, kInSandboxes, kMake);
}

bool lies_where_devices_are_refused() {
  struct statvfs place = {};
  return ::statvfs(kDevice, &place) == 0 && (place.f_flag & ST_NODEV) != 0;
}

std::string advice_for_permissions(const struct stat& status) {
  constexpr mode_t kPermissions = 07777;
  constexpr mode_t kOpensForGroup = S_IRGRP | S_IWGRP;
  const bool opens_for_group = (status.st_mode & kOpensForGroup) == kOpensForGroup;
  // The message doesn't name the owner, whom a user name space may not know.
  return fmt::format(
      "its permissions are {:o}, and it isn't yours: {}as root chmod 666 /dev/fuse (a rule of udev "
      "keeps that: KERNEL==\"fuse\", MODE=\"0666\")",
      status.st_mode & kPermissions, opens_for_group ? "join its group, or " : "");
}

std::string advice_where_refused(const struct stat& status, int os_error) {
  if (lies_where_devices_are_refused())
    return fmt::format("its mount allows no devices (nodev): {}; {}", kInSandboxes, kInContainers);
  if (os_error == EPERM)
    return fmt::format(
        "this process's control group refuses it: {}; of systemd "
        "DeviceAllow=/dev/fuse rw",
        kInContainers);
  if (::faccessat(AT_FDCWD, kDevice, R_OK | W_OK, AT_EACCESS) != 0)
    return advice_for_permissions(status);
  return "its permissions allow it, but something else doesn't, such as SELinux or AppArmor: see "
         "the system's log";
}

// Returns nothing if the error itself says enough.
std::string advice_for(const struct stat& status, int os_error) {
  switch (os_error) {
    case ENOENT:
      return advice_where_missing();
    case EACCES:
    case EPERM:
      return advice_where_refused(status, os_error);
    case ENODEV:
    case ENXIO:
      return kNoFuse;
    default:
      return "";
  }
}

}  // namespace

Result<Descriptor> open_fuse_device() {
  Descriptor device(::open(kDevice, O_RDWR | O_CLOEXEC));
  const int os_error = errno;
  struct stat status = {};
  if (::stat(kDevice, &status) == 0 && !is_fuse(status)) return not_fuse(status);
  if (device.get() >= 0) return device;
  const std::string advice = advice_for(status, os_error);
  return failed_call(kDevice, "open", os_error, advice.empty() ? "" : advice + kOtherwise);
}

}  // namespace seekless
