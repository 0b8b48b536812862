#include <fcntl.h>
#include <fmt/format.h>
#include <io.h>
#include <windows.h>

#include "packer/host/folder_lock.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

using runtime::Handle;

// Windows can't lock folders, so this uses a file that nobody else may open at the same time. The
// file lies in the user's temporary folder, so the locked folder stays as it is. It keeps out this
// user's programs on this machine. Returns an empty path if the folder doesn't exist.
std::wstring stand_in(const std::string& path) {
  const auto name = runtime::to_wide_path(path);
  if (!name) return {};
  const Handle folder(::CreateFileW(name->c_str(), 0,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  BY_HANDLE_FILE_INFORMATION found = {};
  if (!folder || ::GetFileInformationByHandle(folder.get(), &found) == 0) return {};
  wchar_t temporary[MAX_PATH + 1];
  const DWORD length = ::GetTempPathW(MAX_PATH, temporary);
  const std::string file = fmt::format("seekless-lock-{:x}-{:x}-{:x}", found.dwVolumeSerialNumber,
                                       found.nFileIndexHigh, found.nFileIndexLow);
  return std::wstring(temporary, length) + std::wstring(file.begin(), file.end());
}

}  // namespace

std::optional<int> FolderLock::holder(const std::string&) {
  return std::nullopt;
}

Result<FolderLock> FolderLock::take(const std::string& path, const std::string& work) {
  const std::wstring file = stand_in(path);
  if (file.empty())
    return failed(
        {.file = path, .place = "cannot open", .found = runtime::text_of_error(::GetLastError())});
  Handle mine(::CreateFileW(file.c_str(), GENERIC_READ, 0, nullptr, OPEN_ALWAYS,
                            FILE_FLAG_DELETE_ON_CLOSE, nullptr));
  if (!mine && ::GetLastError() == ERROR_SHARING_VIOLATION)
    return failed({.file = path,
                   .expected = fmt::format("no other {} in this folder", work),
                   .found = "another process",
                   .advice = "wait until it has ended"});
  // If the file can't be created, the folder isn't locked.
  const int number =
      mine ? ::_open_osfhandle(reinterpret_cast<intptr_t>(mine.get()), _O_BINARY) : -1;
  if (number >= 0) (void)mine.release();
  return FolderLock(Descriptor(number));
}

}  // namespace seekless
