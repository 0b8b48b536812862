#include "packer/place/internal/opened_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "packer/host/file_stamp.h"
#include "packer/host/os_error.h"
#include "packer/place/internal/movers.h"

namespace seekless {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(200);
constexpr auto kNap = std::chrono::milliseconds(5);

int open_folder(const std::string& path) {
  open_how how = {};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const long opened = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how));
  // Linux before 5.6 lacks the call, and some containers' filters refuse unknown calls.
  if (opened >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(opened);
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int open_in(int folder, const std::string& name, int access) {
  const int flags = access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const int opened = ::openat(folder, name.c_str(), flags | O_NOATIME);
  // Only a file's owner may open it with O_NOATIME, so another user opens it without.
  if (opened >= 0 || errno != EPERM) return opened;
  return ::openat(folder, name.c_str(), flags);
}

bool is_same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

Result<MovedFile> open_to_move(const std::string& path, int access) {
  const size_t slash = path.find_last_of('/');
  const std::string folder_path = path.substr(0, std::max<size_t>(slash, 1));
  std::string name = path.substr(slash + 1);
  Descriptor folder(open_folder(folder_path));
  if (folder.get() < 0) return failed_call(folder_path, "open", errno, kStays);
  Descriptor file(open_in(folder.get(), name, access));
  if (file.get() < 0) return failed_call(path, "open", errno, kStays);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) return failed_call(path, "look at", errno, kStays);
  if (!S_ISREG(status.st_mode))
    return failed({.file = path,
                   .expected = "a regular file",
                   .found = "something else that has taken its name",
                   .advice = kStays});
  return MovedFile{std::move(folder), std::move(name), std::move(file), status};
}

int settled_status(int file, struct stat& status) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (::fstat(file, &status) == 0) {
    const int64_t changed_ns = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec;
    if (is_settled({.changed_ns = changed_ns}, file_clock_ns())) return 0;
    if (std::chrono::steady_clock::now() > end) return EBUSY;
    std::this_thread::sleep_for(kNap);
  }
  return errno;
}

bool is_unchanged(const struct stat& before, const struct stat& now) {
  return before.st_size == now.st_size && is_same_time(before.st_mtim, now.st_mtim) &&
         is_same_time(before.st_ctim, now.st_ctim) && before.st_mode == now.st_mode &&
         before.st_uid == now.st_uid && before.st_gid == now.st_gid &&
         before.st_nlink == now.st_nlink;
}

}  // namespace seekless
