#include "packer/host/file_stamp.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

struct FolderId {
  dev_t device;
  ino_t inode;

  bool operator==(const FolderId&) const = default;
};

// A folder and what lies in it: regular files and folders, sorted as their whole paths are.
struct WalkedFolder {
  struct Entry {
    std::string name;  // of a folder with a slash behind it
    ChangeStamp stamp;
    std::unique_ptr<WalkedFolder> folder;  // null: a file
  };

  const WalkedFolder* above = nullptr;
  std::string prefix;  // in front of names to make them relative to the root
  FolderId id = {};
  std::vector<Entry> entries;
  std::optional<Error> error;  // in place of entries
};

// Looks into folders, with several threads since most of the time goes to waiting for memory or the
// disk, and puts what they found into order at the end.
class Walk {
 public:
  explicit Walk(const std::string& root) : root_(root) {}

  Result<std::vector<StampedFile>> run(unsigned threads) {
    if (auto walked = walk(threads); !walked) return std::unexpected(walked.error());
    return std::move(files_);
  }

  Result<std::vector<std::string>> run_for_folders() {
    if (auto walked = walk(1); !walked) return std::unexpected(walked.error());
    return std::move(folders_);
  }

 private:
  Result<void> walk(unsigned threads) {
    WalkedFolder top;
    waiting_.push_back(&top);
    {
      std::vector<std::jthread> others;
      for (unsigned i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
      work();
    }
    return collect(top);
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !waiting_.empty() || busy_ == 0; });
      if (waiting_.empty()) return;
      WalkedFolder* const folder = waiting_.back();
      waiting_.pop_back();
      ++busy_;
      lock.unlock();
      look_into(*folder);
      lock.lock();
      --busy_;
      for (const WalkedFolder::Entry& entry : folder->entries)
        if (entry.folder) waiting_.push_back(entry.folder.get());
      changed_.notify_all();
    }
  }

  std::string full(const std::string& relative) const {
    return relative.empty() ? root_ : root_ + (root_.ends_with('/') ? "" : "/") + relative;
  }

  std::string path_of(const WalkedFolder& folder) const {
    return full(folder.prefix.substr(0, folder.prefix.size() - (folder.prefix.empty() ? 0 : 1)));
  }

  // An exception that left a thread would end the program.
  void look_into(WalkedFolder& folder) const {
    try {
      if (auto looked = try_to_look_into(folder); !looked) folder.error = looked.error();
    } catch (const std::exception& exception) {
      folder.error = Error{ErrorKind::failed, exception.what()};
    }
    if (folder.error) folder.entries.clear();
  }

  Result<void> try_to_look_into(WalkedFolder& folder) const {
    const std::string path = path_of(folder);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return failed_call(path, "open", errno);
    const Folder stream(::fdopendir(descriptor));
    if (!stream) {
      const int os_error = errno;
      ::close(descriptor);
      return failed_call(path, "open", os_error);
    }
    if (auto entered = enter(descriptor, path, folder); !entered) return entered;
    return read_entries(*stream, folder);
  }

  static Result<void> enter(int descriptor, const std::string& path, WalkedFolder& folder) {
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0) return failed_call(path, "open", errno);
    folder.id = {status.st_dev, status.st_ino};
    for (const WalkedFolder* above = folder.above; above != nullptr; above = above->above)
      if (above->id == folder.id)
        return failed({.file = path,
                       .expected = "a tree of folders",
                       .found = "a link back to a folder that it lies in",
                       .advice = "remove the link"});
    return {};
  }

  Result<void> read_entries(DIR& stream, WalkedFolder& folder) const {
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(&stream);
      if (entry == nullptr && errno != 0) return failed_call(path_of(folder), "read", errno);
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat status = {};
      if (::fstatat(::dirfd(&stream), entry->d_name, &status, 0) != 0)
        return failed_call(full(folder.prefix + std::string(name)), "open", errno);
      if (S_ISREG(status.st_mode))
        folder.entries.push_back({std::string(name), to_stamp(status), nullptr});
      else if (S_ISDIR(status.st_mode))
        add_folder(name, folder);
    }
    std::ranges::sort(folder.entries, {}, &WalkedFolder::Entry::name);
    return {};
  }

  static void add_folder(std::string_view name, WalkedFolder& above) {
    WalkedFolder::Entry& entry = above.entries.emplace_back();
    entry.name = std::string(name) + "/";
    entry.folder = std::make_unique<WalkedFolder>();
    entry.folder->above = &above;
    entry.folder->prefix = above.prefix + entry.name;
  }

  // The first error in the order of the paths, whichever thread found one first.
  Result<void> collect(WalkedFolder& folder) {
    if (folder.error) return std::unexpected(*std::move(folder.error));
    folders_.push_back(path_of(folder));
    for (WalkedFolder::Entry& entry : folder.entries) {
      if (!entry.folder) {
        files_.push_back({folder.prefix + entry.name, entry.stamp});
        continue;
      }
      if (auto collected = collect(*entry.folder); !collected) return collected;
      entry.folder.reset();
    }
    return {};
  }

  const std::string root_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<WalkedFolder*> waiting_;
  unsigned busy_ = 0;  // threads that look into a folder, which may have others in it
  std::vector<StampedFile> files_;
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

Result<std::vector<StampedFile>> stamp_folder(const std::string& folder, unsigned threads) {
  return Walk(folder).run(threads);
}

Result<std::vector<std::string>> find_folders(const std::string& folder) {
  return Walk(folder).run_for_folders();
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
