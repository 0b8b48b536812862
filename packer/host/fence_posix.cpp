#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "packer/base/paths.h"
#include "packer/host/fence.h"
#include "packer/host/os_error.h"

namespace seekless {

struct FencedFolder {
  std::string path;  // without a trailing slash
  Descriptor folder;
};

namespace {

// O_PATH opens a folder on the way even if the user may not list it.
constexpr int kToGoOn = O_PATH | O_DIRECTORY | O_CLOEXEC;

struct Fences {
  std::mutex mutex;
  std::vector<std::shared_ptr<const FencedFolder>> all;
};

Fences& fences() {
  static Fences of_process;
  return of_process;
}

std::string without_end(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// Takes the first name off a path; returns an empty one at its end.
std::string_view take_name(std::string_view& path) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  const std::string_view name = path.substr(0, path.find('/'));
  path.remove_prefix(name.size());
  return name;
}

bool leads_up(std::string_view path) {
  for (std::string_view name = take_name(path); !name.empty(); name = take_name(path))
    if (name == "..") return true;
  return false;
}

struct Fenced {
  std::shared_ptr<const FencedFolder> fence;
  std::string below;  // path relative to the fence's folder; empty: the folder itself
};

// Finds the innermost fence around the path. A path that leads up again by ".." counts as outside.
std::optional<Fenced> find_fence(const std::string& path) {
  Fences& known = fences();
  const std::lock_guard lock(known.mutex);
  std::shared_ptr<const FencedFolder> innermost;
  for (const auto& fence : known.all)
    if (lies_in(path, fence->path) && !leads_up(path.substr(fence->path.size())) &&
        (innermost == nullptr || fence->path.size() > innermost->path.size()))
      innermost = fence;
  if (innermost == nullptr) return std::nullopt;
  std::string below = path.substr(innermost->path.size());
  below.erase(0, below.find_first_not_of('/'));
  return Fenced{std::move(innermost), without_end(std::move(below))};
}

bool is_link_in(int folder, const std::string& name) {
  struct stat found = {};
  return ::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(found.st_mode);
}

// Opens a folder by its name inside another folder.
int open_next(int folder, const std::string& name) {
  const int next = ::openat(folder, name.c_str(), kToGoOn | O_NOFOLLOW);
  // The kernel chooses one of these two errors for a link.
  if (next < 0 && (errno == ENOTDIR || errno == ELOOP))
    errno = is_link_in(folder, name) ? ELOOP : ENOTDIR;
  return next;
}

int make_and_open(int folder, const std::string& name) {
  // Another program may have made the folder at the same moment.
  if (::mkdirat(folder, name.c_str(), S_IRWXU | S_IRWXG | S_IRWXO) != 0 && errno != EEXIST)
    return -1;
  return open_next(folder, name);
}

// Opens folder after folder. `path` has no ".."; with `makes`, missing folders are made.
int open_name_by_name(int folder, std::string_view path, bool makes) {
  Descriptor now(::openat(folder, ".", kToGoOn));
  for (std::string_view name = take_name(path); !name.empty(); name = take_name(path)) {
    if (now.get() < 0) return -1;
    const std::string text(name);
    Descriptor next(open_next(now.get(), text));
    if (next.get() < 0 && errno == ENOENT && makes)
      next = Descriptor(make_and_open(now.get(), text));
    now = std::move(next);
  }
  return now.release();
}

// Opens the folder in one call, openat2. Linux has it since 5.6, and a filter of system calls may
// refuse it.
int open_below(int folder, const std::string& path) {
  static std::atomic<bool> is_refused = false;
  if (path.empty() || is_refused) return open_name_by_name(folder, path, false);
  open_how how = {};
  how.flags = kToGoOn;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const auto found =
      static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof(how)));
  if (found >= 0 || (errno != ENOSYS && errno != EPERM && errno != EAGAIN)) return found;
  if (errno != EAGAIN) is_refused = true;  // EAGAIN: names were moved at the same time
  return open_name_by_name(folder, path, false);
}

}  // namespace

Result<Fence> Fence::around(const std::string& folder) {
  const OpenFolder open = OpenFolder::open(folder);
  Descriptor mine(open.is_open() ? ::fcntl(open.descriptor(), F_DUPFD_CLOEXEC, 0) : -1);
  if (mine.get() < 0) return failed_call(folder, "open", open.is_open() ? errno : open.os_error());
  auto fenced = std::make_shared<const FencedFolder>(without_end(folder), std::move(mine));
  Fences& known = fences();
  const std::lock_guard lock(known.mutex);
  known.all.push_back(fenced);
  return Fence(std::move(fenced));
}

Fence::~Fence() {
  if (folder_ == nullptr) return;
  Fences& known = fences();
  const std::lock_guard lock(known.mutex);
  std::erase(known.all, folder_);
}

OpenFolder OpenFolder::open(const std::string& path) {
  const auto fenced = find_fence(path);
  const int folder = fenced ? open_below(fenced->fence->folder.get(), fenced->below)
                            : ::open(path.c_str(), kToGoOn);
  const int os_error = folder < 0 ? errno : 0;
  return {path, Descriptor(folder), folder, os_error};
}

NameInFolder NameInFolder::of(const std::string& path) {
  const auto fenced = find_fence(path);
  // There is no fence below this path, so the kernel resolves all of it, links included.
  if (!fenced || fenced->below.empty())
    return {OpenFolder(path, Descriptor(-1), AT_FDCWD, 0), path};
  const std::string whole = without_end(path);
  const size_t slash = whole.find_last_of('/');
  return {OpenFolder::open(whole.substr(0, slash)), whole.substr(slash + 1)};
}

bool is_plain_way(const std::string& folder, const std::string& relative_path) {
  const OpenFolder top = OpenFolder::open(folder);
  if (!top.is_open()) return top.os_error() != ELOOP;
  if (leads_up(relative_path)) return false;
  const Descriptor found(open_below(top.descriptor(), relative_path));
  return found.get() >= 0 || errno != ELOOP;
}

std::string link_on_way(const std::string& path) {
  const auto fenced = find_fence(path);
  if (!fenced) return {};
  std::string way = fenced->fence->path;
  Descriptor now(::openat(fenced->fence->folder.get(), ".", kToGoOn));
  std::string_view rest = fenced->below;
  for (std::string_view name = take_name(rest); !name.empty(); name = take_name(rest)) {
    if (now.get() < 0) return {};
    const std::string text(name);
    way += (way.ends_with('/') ? "" : "/") + text;
    if (is_link_in(now.get(), text)) return way;
    now = Descriptor(open_next(now.get(), text));
  }
  return {};
}

int make_fenced_folders(const std::string& path) {
  const auto fenced = find_fence(path);
  if (!fenced) return -1;
  const Descriptor made(open_name_by_name(fenced->fence->folder.get(), fenced->below, true));
  return made.get() < 0 ? errno : 0;
}

}  // namespace seekless
