#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include <windows.h>

#include "packer/host/errors_windows.h"
#include "packer/host/file_stamp.h"
#include "packer/host/file_time_windows.h"
#include "packer/host/folder_entries.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

using runtime::Handle;

// NTFS counts in 100 ns, but by a clock that moves every 15.6 ms.
constexpr int64_t kTickNs = 40'000'000;
// File systems that keep no fractions of a second: FAT counts in twos.
constexpr int64_t kCoarseTickNs = 2'000'000'000;
constexpr int64_t kNsPerSecond = 1'000'000'000;

struct LookedAt {
  ChangeStamp stamp;
  bool is_folder = false;
};

// Of what a link leads to.
std::optional<LookedAt> look_at_path(const std::string& path) {
  constexpr DWORD kAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const auto name = runtime::to_wide_path(path);
  if (!name) return ::SetLastError(ERROR_INVALID_NAME), std::nullopt;
  const Handle file(::CreateFileW(name->c_str(), FILE_READ_ATTRIBUTES, kAll, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  BY_HANDLE_FILE_INFORMATION found = {};
  FILE_BASIC_INFO times = {};
  if (!file || ::GetFileInformationByHandle(file.get(), &found) == 0 ||
      ::GetFileInformationByHandleEx(file.get(), FileBasicInfo, &times, sizeof(times)) == 0)
    return std::nullopt;
  return LookedAt{{.size_bytes = uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow,
                   .written_ns = ns_since_1970(times.LastWriteTime.QuadPart),
                   .changed_ns = ns_since_1970(times.ChangeTime.QuadPart),
                   .inode = uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow},
                  (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0};
}

bool has_gone(int os_error) {
  return os_error == ENOENT || os_error == ENOTDIR;
}

class StampWalk {
 public:
  StampWalk(const std::string& root, const VisitStamped& visit) : root_(root), visit_(visit) {}

  Result<void> run() { return walk(""); }
  std::vector<std::string> take_folders() { return std::move(folders_); }

 private:
  std::string full(const std::string& relative) const {
    return relative.empty() ? root_ : root_ + (root_.ends_with('/') ? "" : "/") + relative;
  }

  // `prefix` ends in a slash, unless it is empty.
  Result<void> walk(const std::string& prefix) {
    const std::string path = full(prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1));
    const auto itself = look_at_path(path);
    if (!itself) return failed_call(path, "open", errno_of_last_error());
    if (std::ranges::find(above_, itself->stamp.inode) != above_.end())
      return failed({.file = path,
                     .expected = "a tree of folders",
                     .found = "a link back to a folder that it lies in",
                     .advice = "remove the link"});
    above_.push_back(itself->stamp.inode);
    folders_.push_back(path);
    const auto entries = list_folder(path);
    if (!entries) return std::unexpected(entries.error());
    for (const FolderEntry& entry : *entries) {
      const std::string relative = prefix + entry.name;
      auto done = entry.is_folder ? walk(relative + "/") : visit_one(relative);
      if (!done) return done;
    }
    above_.pop_back();
    return {};
  }

  Result<void> visit_one(const std::string& relative) const {
    const auto found = look_at_path(full(relative));
    if (found) return visit_(relative, found->stamp), Result<void>();
    const int os_error = errno_of_last_error();
    return has_gone(os_error) ? Result<void>() : failed_call(full(relative), "look at", os_error);
  }

  const std::string root_;
  const VisitStamped& visit_;
  std::vector<uint64_t> above_;
  std::vector<std::string> folders_;
};

}  // namespace

Result<std::optional<ChangeStamp>> change_stamp_of(const std::string& path) {
  const auto found = look_at_path(path);
  if (found) return found->is_folder ? std::nullopt : std::optional(found->stamp);
  const int os_error = errno_of_last_error();
  if (has_gone(os_error)) return std::nullopt;
  return failed_call(path, "open", os_error);
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
  return StampWalk(folder, visit).run();
}

Result<std::vector<std::string>> find_folders(const std::string& folder) {
  const VisitStamped ignore = [](std::string_view, const ChangeStamp&) {};
  StampWalk walk(folder, ignore);
  if (auto walked = walk.run(); !walked) return std::unexpected(walked.error());
  return walk.take_folders();
}

int64_t file_clock_ns() {
  FILETIME now = {};
  ::GetSystemTimePreciseAsFileTime(&now);
  return ns_since_1970(now);
}

bool is_settled(const ChangeStamp& stamp, int64_t now_ns) {
  const int64_t tick_ns = stamp.changed_ns % kNsPerSecond == 0 ? kCoarseTickNs : kTickNs;
  return stamp.changed_ns < now_ns - tick_ns;
}

}  // namespace seekless
