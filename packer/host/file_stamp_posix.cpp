#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/close_folder.h"
#include "packer/host/file_stamp.h"

namespace seekless {
namespace {

// The kernel stamps files by a clock that moves every 10 ms at most (CONFIG_HZ=100).
constexpr int64_t kTickNs = 20'000'000;
// File systems that keep no fractions of a second: FAT counts in twos.
constexpr int64_t kCoarseTickNs = 2'000'000'000;
constexpr int64_t kNsPerSecond = 1'000'000'000;

int64_t to_ns(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * kNsPerSecond + time.tv_nsec;
}

ChangeStamp to_stamp(const struct stat& status) {
  return {static_cast<uint64_t>(status.st_size), to_ns(status.st_mtim), to_ns(status.st_ctim),
          static_cast<uint64_t>(status.st_ino)};
}

using Folder = std::unique_ptr<DIR, CloseFolder>;

struct FolderId {
  dev_t device;
  ino_t inode;

  bool operator==(const FolderId&) const = default;
};

class Walk {
 public:
  Walk(const std::string& root, const VisitStamped& visit) : root_(root), visit_(visit) {}

  Result<void> run() { return walk(AT_FDCWD, root_.c_str(), ""); }
  std::vector<std::string> take_folders() { return std::move(folders_); }

 private:
  // As the whole paths are sorted: what lies in a folder has a slash after its name.
  struct Entry {
    std::string name;
    ChangeStamp stamp;
    bool is_folder = false;
  };

  std::string full(const std::string& relative) const {
    return relative.empty() ? root_ : root_ + (root_.ends_with('/') ? "" : "/") + relative;
  }

  Result<void> walk(int parent, const char* name, const std::string& prefix) {
    const std::string path = full(prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1));
    const int descriptor = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return failed_call(path, "open", errno);
    const Folder folder(::fdopendir(descriptor));
    if (!folder) {
      const int os_error = errno;
      ::close(descriptor);
      return failed_call(path, "open", os_error);
    }
    if (auto entered = enter(descriptor, path); !entered) return entered;
    folders_.push_back(path);
    auto entries = read_entries(*folder, prefix);
    if (!entries) return std::unexpected(entries.error());
    for (Entry& entry : *entries) {
      if (!entry.is_folder) {
        visit_(prefix + entry.name, entry.stamp);
        continue;
      }
      const std::string folder_name = entry.name.substr(0, entry.name.size() - 1);
      if (auto walked = walk(descriptor, folder_name.c_str(), prefix + entry.name); !walked)
        return walked;
    }
    above_.pop_back();
    return {};
  }

  Result<void> enter(int descriptor, const std::string& path) {
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0) return failed_call(path, "open", errno);
    const FolderId id = {status.st_dev, status.st_ino};
    if (std::ranges::find(above_, id) != above_.end())
      return failed({.file = path,
                     .expected = "a tree of folders",
                     .found = "a link back to a folder that it lies in",
                     .advice = "remove the link"});
    above_.push_back(id);
    return {};
  }

  // Regular files and folders, sorted.
  Result<std::vector<Entry>> read_entries(DIR& folder, const std::string& prefix) const {
    std::vector<Entry> entries;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(&folder);
      if (entry == nullptr && errno != 0) return failed_call(full(prefix), "read", errno);
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat status = {};
      if (::fstatat(::dirfd(&folder), entry->d_name, &status, 0) != 0) {
        // A link that leads nowhere, or a file that went meanwhile.
        if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) continue;
        return failed_call(full(prefix + std::string(name)), "look at", errno);
      }
      if (S_ISDIR(status.st_mode))
        entries.push_back({std::string(name) + '/', {}, true});
      else if (S_ISREG(status.st_mode))
        entries.push_back({std::string(name), to_stamp(status), false});
    }
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
  }

  const std::string root_;
  const VisitStamped& visit_;
  std::vector<FolderId> above_;
  std::vector<std::string> folders_;
};

}  // namespace

Result<std::optional<ChangeStamp>> change_stamp_of(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISREG(status.st_mode)) return to_stamp(status);
    return std::nullopt;
  }
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  return failed_call(path, "open", errno);
}

Result<std::vector<StampedFile>> stamp_folder(const std::string& folder) {
  std::vector<StampedFile> found;
  auto walked = stamp_each(folder, [&](std::string_view path, const ChangeStamp& stamp) {
    found.push_back({std::string(path), stamp});
  });
  if (!walked) return std::unexpected(walked.error());
  return found;
}

Result<void> stamp_each(const std::string& folder, const VisitStamped& visit) {
  return Walk(folder, visit).run();
}

Result<std::vector<std::string>> find_folders(const std::string& folder) {
  const VisitStamped ignore = [](std::string_view, const ChangeStamp&) {};
  Walk walk(folder, ignore);
  if (auto walked = walk.run(); !walked) return std::unexpected(walked.error());
  return walk.take_folders();
}

int64_t file_clock_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return to_ns(now);
}

bool is_settled(const ChangeStamp& stamp, int64_t now_ns) {
  const int64_t tick_ns = stamp.changed_ns % kNsPerSecond == 0 ? kCoarseTickNs : kTickNs;
  return stamp.changed_ns < now_ns - tick_ns;
}

}  // namespace seekless
