#include "runtime/folder_watch.h"

#ifndef __linux__

namespace seekless::runtime {

Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& folder) {
  return make_error(SKL_UNSUPPORTED,
                    {folder, ": this system doesn't tell what changes; mount it again"});
}

}  // namespace seekless::runtime

#else

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <dirent.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/descriptor_posix.h"
#include "runtime/file_io.h"
#include "runtime/wait_handle.h"

namespace seekless::runtime {
namespace {

constexpr uint32_t kTouches = IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM |
                              IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr uint32_t kEnds = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;
// Limits each wait: if other code has closed the descriptor meanwhile, a thread that waits on it
// can't be woken.
constexpr uint32_t kLongestWaitMs = 1000;

struct CloseWatched {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class InotifyWatch final : public FolderWatch {
 public:
  InotifyWatch(std::string folder, std::unique_ptr<WaitHandle> woken)
      : folder_(std::move(folder)),
        woken_(std::move(woken)),
        queue_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

  Result<void> begin() {
    if (queue_.number() < 0) return failed(errno, "fs.inotify.max_user_instances, or open files");
    return add("");
  }

  Result<std::vector<std::string>> wait(uint32_t timeout_ms) override {
    const int most_ms = static_cast<int>(std::min(timeout_ms, kLongestWaitMs));
    if (!queue_.is_own()) return call_failed(folder_, "watch", EBADF);
    std::array<pollfd, 2> waits = {pollfd{queue_.number(), POLLIN, 0},
                                   pollfd{static_cast<int>(woken_->get()), POLLIN, 0}};
    ::poll(waits.data(), waits.size(), most_ms);
    woken_->clear();
    touched_.clear();
    alignas(inotify_event) std::array<char, 64 * 1024> events;
    for (ssize_t length = 1; length > 0;) {
      length = ::read(queue_.number(), events.data(), events.size());
      for (ssize_t at = 0; at < length;) {
        const auto& event = *reinterpret_cast<const inotify_event*>(events.data() + at);
        if (auto taken = take(event); !taken) return std::unexpected(taken.error());
        at += static_cast<ssize_t>(sizeof(event) + event.len);
      }
    }
    return std::move(touched_);
  }

  void wake() override { woken_->signal(); }

 private:
  Result<void> failed(int os_error, const char* limit) const {
    Error error = call_failed(folder_, "watch", os_error).error();
    error.message += join(
        {"; ", limit, " may be used up; what changes is seen when the folder is mounted again"});
    return std::unexpected(std::move(error));
  }

  // Watches the folder `below` ("" is the watched folder itself; others end with '/') and all
  // folders in it. Skips what no longer exists or isn't a folder.
  Result<void> add(const std::string& below) {
    std::vector<std::string> pending = {below};
    while (!pending.empty()) {
      const std::string one = std::move(pending.back());
      pending.pop_back();
      const std::string path = join({folder_, "/", one});
      const int watch = ::inotify_add_watch(queue_.number(), path.c_str(), kTouches | IN_ONLYDIR);
      if (watch < 0) {
        const bool is_gone = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
        if (is_gone && !one.empty()) continue;
        return failed(errno, "fs.inotify.max_user_watches");
      }
      // It is listed only after it is watched, so that no folder is missed.
      if (note(folders_[watch], one)) list_folders(path, one, pending);
    }
    return {};
  }

  // Returns false if it is a link back to a folder that contains it, whose content is already
  // known.
  static bool note(std::vector<std::string>& paths, const std::string& one) {
    if (std::ranges::find(paths, one) != paths.end()) return true;
    const auto holds = [&](const std::string& path) { return one.starts_with(path); };
    if (std::ranges::any_of(paths, holds)) return false;
    paths.push_back(one);
    return true;
  }

  static void list_folders(const std::string& path, const std::string& below,
                           std::vector<std::string>& found) {
    const std::unique_ptr<DIR, CloseWatched> opened(::opendir(path.c_str()));
    if (opened == nullptr) return;
    while (const dirent* entry = ::readdir(opened.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      const bool is_unknown = entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK;
      if (entry->d_type == DT_DIR || (is_unknown && is_folder(path, name)))
        found.push_back(join({below, name, "/"}));
    }
  }
  static bool is_folder(const std::string& path, std::string_view name) {
    struct stat status = {};
    return ::stat((join({path, "/", name})).c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  }

  // inotify still watches a folder that was moved away.
  void forget(const std::string& below) {
    const auto is_gone = [&](const std::string& path) { return path.starts_with(below); };
    for (auto watched = folders_.begin(); watched != folders_.end();) {
      const bool was_gone = std::erase_if(watched->second, is_gone) > 0;
      if (!was_gone || !watched->second.empty()) {
        ++watched;
        continue;
      }
      ::inotify_rm_watch(queue_.number(), watched->first);
      watched = folders_.erase(watched);
    }
  }

  Result<void> take(const inotify_event& event) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      touched_.emplace_back();
      return add("");
    }
    const auto watched = folders_.find(event.wd);
    if (watched == folders_.end()) return {};
    const std::vector<std::string> paths = watched->second;
    const bool is_own = std::ranges::find(paths, std::string()) != paths.end();
    if ((event.mask & kEnds) != 0 && is_own) return folder_gone(folder_);
    if ((event.mask & IN_IGNORED) != 0) {
      folders_.erase(watched);
      return {};
    }
    if (event.len == 0) return {};
    for (const std::string& below : paths)
      if (auto taken = take(event, below + event.name); !taken) return taken;
    return {};
  }

  // A link to a folder is reported like a file.
  Result<void> take(const inotify_event& event, const std::string& path) {
    touched_.push_back(path);
    if ((event.mask & (IN_MOVED_FROM | IN_DELETE)) != 0) forget(join({path, "/"}));
    return (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0 ? add(join({path, "/"})) : Result<void>();
  }

  const std::string folder_;
  const std::unique_ptr<WaitHandle> woken_;
  const Descriptor queue_;
  // Maps each watch to its paths in the folder, each with '/' at the end. Links give one folder
  // several paths.
  std::unordered_map<int, std::vector<std::string>> folders_;
  std::vector<std::string> touched_;
};

}  // namespace

Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& folder) {
  auto woken = WaitHandle::make();
  if (!woken) return std::unexpected(woken.error());
  auto watch = std::make_unique<InotifyWatch>(folder, std::move(*woken));
  if (auto begun = watch->begin(); !begun) return std::unexpected(begun.error());
  return watch;
}

}  // namespace seekless::runtime

#endif
