#include <cerrno>
#include <ctime>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/close_folder.h"
#include "packer/host/file_stamp.h"
#include "packer/host/internal/folder_stamps.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

int64_t to_ns(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

ChangeStamp to_stamp(const struct stat& status) {
  return {static_cast<uint64_t>(status.st_size), to_ns(status.st_mtim), to_ns(status.st_ctim),
          static_cast<uint64_t>(status.st_ino)};
}

using Folder = std::unique_ptr<DIR, CloseFolder>;

}  // namespace

Result<FolderStamps> read_folder_stamps(const std::string& folder) {
  const Folder open(::opendir(folder.c_str()));
  struct stat status = {};
  if (!open || ::fstat(::dirfd(open.get()), &status) != 0)
    return failed_call(folder, "open", errno);
  FolderStamps stamps = {.id = {status.st_dev, status.st_ino}, .entries = {}};
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr && errno != 0) return failed_call(folder, "read", errno);
    if (entry == nullptr) return stamps;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (::fstatat(::dirfd(open.get()), entry->d_name, &status, 0) != 0) {
      // The entry is a dangling link, or a file that was just removed.
      if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) continue;
      return failed_call(folder + '/' + std::string(name), "look at", errno);
    }
    if (S_ISDIR(status.st_mode))
      stamps.entries.push_back({std::string(name) + '/', {}, true});
    else if (S_ISREG(status.st_mode))
      stamps.entries.push_back({std::string(name), to_stamp(status), false});
  }
}

Result<std::optional<ChangeStamp>> change_stamp_of(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISREG(status.st_mode)) return to_stamp(status);
    return std::nullopt;
  }
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  return failed_call(path, "open", errno);
}

int64_t file_clock_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return to_ns(now);
}

// The kernel stamps files with a clock that advances at least every 10 ms (CONFIG_HZ=100).
int64_t file_clock_tick_ns() {
  return 20'000'000;
}

}  // namespace seekless
