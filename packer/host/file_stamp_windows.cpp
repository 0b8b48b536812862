#include <cerrno>
#include <optional>
#include <string>

#include <windows.h>

#include "packer/host/errors_windows.h"
#include "packer/host/file_stamp.h"
#include "packer/host/folder_entries.h"
#include "packer/host/internal/file_time_windows.h"
#include "packer/host/internal/folder_stamps.h"
#include "packer/host/os_error.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

using runtime::Handle;

struct LookedAt {
  ChangeStamp stamp;
  FolderId id;
  bool is_folder = false;
};

// Examines the file that a link leads to.
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
  return LookedAt{
      {.size_bytes = uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow,
       .written_ns = ns_since_1970(times.LastWriteTime.QuadPart),
       .changed_ns = ns_since_1970(times.ChangeTime.QuadPart),
       .inode = uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow},
      {found.dwVolumeSerialNumber, uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow},
      (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0};
}

bool has_gone(int os_error) {
  return os_error == ENOENT || os_error == ENOTDIR;
}

}  // namespace

Result<FolderStamps> read_folder_stamps(const std::string& folder) {
  const auto itself = look_at_path(folder);
  if (!itself) return failed_call(folder, "open", errno_of_last_error());
  SKL_TRY(const auto entries, list_folder(folder));
  const std::string inside = folder.ends_with('/') ? folder : folder + '/';
  FolderStamps stamps = {.id = itself->id, .entries = {}};
  for (const FolderEntry& entry : entries) {
    if (entry.is_folder) {
      stamps.entries.push_back({entry.name + '/', {}, true});
      continue;
    }
    const std::string path = inside + entry.name;
    if (const auto found = look_at_path(path))
      stamps.entries.push_back({entry.name, found->stamp, false});
    else if (const int os_error = errno_of_last_error(); !has_gone(os_error))
      return failed_call(path, "look at", os_error);
  }
  return stamps;
}

Result<std::optional<ChangeStamp>> change_stamp_of(const std::string& path) {
  const auto found = look_at_path(path);
  if (found) return found->is_folder ? std::nullopt : std::optional(found->stamp);
  const int os_error = errno_of_last_error();
  if (has_gone(os_error)) return std::nullopt;
  return failed_call(path, "open", os_error);
}

int64_t file_clock_ns() {
  FILETIME now = {};
  ::GetSystemTimePreciseAsFileTime(&now);
  return ns_since_1970(now);
}

// NTFS counts in 100 ns, but its clock advances only every 15.6 ms.
int64_t file_clock_tick_ns() {
  return 40'000'000;
}

}  // namespace seekless
