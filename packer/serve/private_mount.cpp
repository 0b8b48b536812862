#include "packer/serve/private_mount.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace seekless {
namespace {

constexpr const char* kDevice = "/dev/fuse";

Result<void> write_map(const std::string& file, const std::string& text) {
  const Descriptor map(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (map.get() < 0 || ::write(map.get(), text.data(), text.size()) < 0)
    return failed_call(file, "write", errno);
  return {};
}

// The player stays who they are; nobody else is known there.
Result<void> enter_own_users() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return failed_call("play", "make a user name space", errno,
                       "allow them (sysctl user.max_user_namespaces, "
                       "kernel.unprivileged_userns_clone, kernel.apparmor_restrict_"
                       "unprivileged_userns), or use 'seekless warm'");
  if (auto done = write_map("/proc/self/setgroups", "deny"); !done) return done;
  if (auto done = write_map("/proc/self/uid_map", fmt::format("{} {} 1", user, user)); !done)
    return done;
  return write_map("/proc/self/gid_map", fmt::format("{} {} 1", group, group));
}

}  // namespace

Result<bool> enter_own_mounts() {
  const bool is_root = ::geteuid() == 0 && ::unshare(CLONE_NEWNS) == 0;
  if (!is_root)
    if (auto entered = enter_own_users(); !entered) return std::unexpected(entered.error());
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return failed_call("/", "keep mounts inside", errno);
  return is_root;
}

Result<Descriptor> mount_over(const std::string& folder, bool is_root) {
  Descriptor device(::open(kDevice, O_RDWR | O_CLOEXEC));
  if (device.get() < 0)
    return failed_call(kDevice, "open", errno,
                       "a folder is served by FUSE: its device must be there, and yours to open");
  struct stat status = {};
  if (::stat(folder.c_str(), &status) != 0) return failed_call(folder, "look at", errno);
  const std::string options = fmt::format(
      "fd={},rootmode={:o},user_id={},group_id={},allow_other{}", device.get(),
      status.st_mode & S_IFMT, ::geteuid(), ::getegid(), is_root ? ",default_permissions" : "");
  if (::mount("seekless", folder.c_str(), "fuse.seekless", MS_NOSUID | MS_NODEV, options.c_str()) !=
      0)
    return failed_call(folder, "mount FUSE over", errno);
  return device;
}

void uncover(const std::string& folder) {
  ::umount2(folder.c_str(), MNT_DETACH);
}

}  // namespace seekless
