#include "packer/serve/internal/private_mount.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/os_error.h"
#include "packer/serve/internal/node_table.h"
#include "packer/serve/serving_parts.h"

namespace seekless {
namespace {

constexpr const char* kNoUsers =
    "allow user name spaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
    "kernel.apparmor_restrict_unprivileged_userns; not in a chroot, nor in sandboxes that disable "
    "them), or use "
    "'seekless warm'";

Result<void> write_map(const std::string& file, const std::string& text) {
  const Descriptor map(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (map.get() < 0 || ::write(map.get(), text.data(), text.size()) < 0)
    return failed_call(file, "write", errno, kNoUsers);
  return {};
}

constexpr const char* kNoMounts =
    "the system keeps user name spaces from mounting: allow it (AppArmor: sysctl "
    "kernel.apparmor_restrict_unprivileged_userns=0; in containers and sandboxes outside of "
    "them), or use 'seekless warm'";

constexpr const char* kChroot =
    "in a chroot the root must be a mount of its own: 'mount --bind ROOT ROOT' before entering it, "
    "or use 'seekless warm'";

// The server opens its files through /proc, by descriptor number.
Result<void> check_processes() {
  constexpr const char* kOpenFiles = "/proc/self/fd";
  if (::access(kOpenFiles, X_OK) == 0) return {};
  return failed_call(kOpenFiles, "look at", errno, "mount /proc: mount -t proc proc /proc");
}

// Makes mounts whose calls nobody answers.
Result<void> mount_any(std::span<const std::string> folders) {
  SKL_TRY_DO(check_processes());
  PrivateMounts mounts;
  SKL_TRY_DO(mounts.begin());
  Result<void> first;
  for (const std::string& folder : folders) {
    const auto device = mounts.cover(folder);
    if (device) return {};
    if (first) first = std::unexpected(device.error());
  }
  return first;
}

// Mounts as a test; the mount ends with this process.
[[noreturn]] void mount_for_nobody(std::span<const std::string> folders, int failed_to) {
  std::string why;
  try {
    if (const auto mounted = mount_any(folders); !mounted) why = mounted.error().message;
  } catch (const std::exception& exception) {
    why = to_error(exception).message;
  }
  [[maybe_unused]] const ssize_t put = ::write(failed_to, why.data(), why.size());
  ::_exit(why.empty() ? 0 : 1);
}

// Reads until the other end is closed.
std::string read_all(int pipe) {
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = ::read(pipe, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<size_t>(got));
  }
}

// Returns the mount's flags. If root plays, set-user-ID programs in the folder keep their rights,
// unless the folder's own mount takes them away. In a user namespace no program has such rights.
unsigned long flags_for(const std::string& folder, bool is_root) {
  struct statvfs place = {};
  const bool gives_rights =
      is_root && ::statvfs(folder.c_str(), &place) == 0 && (place.f_flag & ST_NOSUID) == 0;
  return gives_rights ? MS_NODEV : MS_NOSUID | MS_NODEV;
}

}  // namespace

Result<void> enter_own_users() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return failed_call("play", "make a user name space", errno, kNoUsers);
  SKL_TRY_DO(write_map("/proc/self/setgroups", "deny"));
  SKL_TRY_DO(write_map("/proc/self/uid_map", fmt::format("{} {} 1", user, user)));
  return write_map("/proc/self/gid_map", fmt::format("{} {} 1", group, group));
}

Result<void> try_to_mount(std::span<const std::string> folders) {
  std::array<int, 2> pipe;
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return failed_call("play", "make a pipe", errno);
  const Descriptor from(pipe[0]);
  const pid_t child = ::fork();
  if (child == 0) mount_for_nobody(folders, pipe[1]);
  const int fork_error = errno;
  ::close(pipe[1]);
  if (child < 0) return failed_call("play", "start a process", fork_error);
  const std::string why = read_all(from.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!why.empty()) return std::unexpected(Error{ErrorKind::failed, why});
  if (status == 0) return {};
  return failed({.place = "play", .found = "a process that ended while it tried to mount"});
}

Result<void> PrivateMounts::begin() {
  is_root_ = ::geteuid() == 0 && ::unshare(CLONE_NEWNS) == 0;
  if (!is_root_) SKL_TRY_DO(enter_own_users());
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return failed_call("/", "keep mounts inside", errno, errno == EINVAL ? kChroot : kNoMounts);
  // The game may make a mount name space of its own, as Steam's container does. A folder can be
  // uncovered there only if mounts are shared with it. If sharing fails, the game still runs.
  static_cast<void>(::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr));
  return {};
}

Result<Descriptor> PrivateMounts::cover(const std::string& folder) {
  SKL_TRY(Descriptor device, open_fuse_device());
  struct stat status = {};
  if (::stat(folder.c_str(), &status) != 0) return failed_call(folder, "look at", errno);
  const std::string options = fmt::format(
      "fd={},rootmode={:o},user_id={},group_id={},allow_other{}", device.get(),
      status.st_mode & S_IFMT, ::geteuid(), ::getegid(), is_root_ ? ",default_permissions" : "");
  if (::mount("seekless", folder.c_str(), "fuse.seekless", flags_for(folder, is_root_),
              options.c_str()) != 0)
    return failed_call(folder, "mount FUSE over", errno, errno == ENODEV ? kNoFuse : kNoMounts);
  folders_.push_back(folder);
  covers_.emplace_back(::open(folder.c_str(), O_PATH | O_CLOEXEC));
  return device;
}

void PrivateMounts::uncover() {
  for (size_t i = 0; i < covers_.size(); ++i) {
    const int cover = covers_[i].get();
    ::umount2(cover < 0 ? folders_[i].c_str() : path_of_open(cover).c_str(), MNT_DETACH);
  }
  // An open descriptor would keep the mount, and so the server, from ending.
  covers_.clear();
}

}  // namespace seekless
