#include <cerrno>
#include <optional>

#include <windows.h>

#include "packer/host/calls.h"
#include "packer/host/errors_windows.h"
#include "packer/host/fence.h"
#include "packer/host/internal/file_time_windows.h"
#include "packer/host/interrupt.h"
#include "packer/host/os_error.h"
#include "packer/host/whole_files.h"
#include "packer/host/write_errors.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

using runtime::Handle;

constexpr DWORD kSharedWithAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// Returns an empty name, which no file has, if the path isn't UTF-8.
std::wstring wide_name(const std::string& path) {
  return runtime::to_wide_path(path).value_or(std::wstring());
}

Handle open_to(DWORD access, const std::string& path, DWORD flags) {
  return Handle(::CreateFileW(wide_name(path).c_str(), access, kSharedWithAll, nullptr,
                              OPEN_EXISTING, flags | FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

DWORD CALLBACK go_on_unless_interrupted(LARGE_INTEGER, LARGE_INTEGER, LARGE_INTEGER, LARGE_INTEGER,
                                        DWORD, DWORD, HANDLE, HANDLE, void*) {
  return is_interrupted() ? PROGRESS_CANCEL : PROGRESS_CONTINUE;
}

}  // namespace

Result<FileIdentity> identity_of(const std::string& path) {
  const Handle file = open_to(FILE_READ_ATTRIBUTES, path, FILE_FLAG_OPEN_REPARSE_POINT);
  BY_HANDLE_FILE_INFORMATION found = {};
  if (!file || ::GetFileInformationByHandle(file.get(), &found) == 0)
    return failed_call(path, "look at", errno_of_last_error());
  constexpr DWORD kNoFile = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
  return FileIdentity{.size_bytes = uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow,
                      .modified_ns = ns_since_1970(found.ftLastWriteTime),
                      .device = found.dwVolumeSerialNumber,
                      .inode = uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow,
                      .is_regular = (found.dwFileAttributes & kNoFile) == 0};
}

Result<uint64_t> device_of(const std::string& path) {
  const Handle file = open_to(FILE_READ_ATTRIBUTES, path, 0);
  BY_HANDLE_FILE_INFORMATION found = {};
  if (!file || ::GetFileInformationByHandle(file.get(), &found) == 0)
    return failed_call(path, "look at", errno_of_last_error());
  return found.dwVolumeSerialNumber;
}

// Copies times and attributes. Rights aren't copied, because they are inherited from the folder.
Result<void> copy_attributes(const std::string& from, const std::string& to) {
  const Handle source = open_to(FILE_READ_ATTRIBUTES, from, 0);
  FILE_BASIC_INFO like = {};
  if (!source ||
      ::GetFileInformationByHandleEx(source.get(), FileBasicInfo, &like, sizeof(like)) == 0)
    return failed_call(from, "look at", errno_of_last_error());
  like.ChangeTime.QuadPart = 0;  // 0 leaves the time unchanged
  const Handle target = open_to(FILE_WRITE_ATTRIBUTES, to, 0);
  if (!target ||
      ::SetFileInformationByHandle(target.get(), FileBasicInfo, &like, sizeof(like)) == 0)
    return failed_call(to, "set the time of", errno_of_last_error());
  return {};
}

// Windows' own copy keeps times and attributes, and shares the blocks where the volume can.
Result<void> copy_whole_file(const std::string& from, const std::string& to) {
  if (::CopyFileExW(wide_name(from).c_str(), wide_name(to).c_str(), go_on_unless_interrupted,
                    nullptr, nullptr, COPY_FILE_FAIL_IF_EXISTS) != 0)
    return copy_attributes(from, to);
  const DWORD os_error = ::GetLastError();
  if (os_error == ERROR_REQUEST_ABORTED) return interrupted_run(to);
  const int reason = errno_of(os_error);
  return failed_call(to, "copy here '" + from + "'", reason, advice_for_writing(reason));
}

Result<bool> link_file(const std::string& from, const std::string& to) {
  if (::CreateHardLinkW(wide_name(to).c_str(), wide_name(from).c_str(), nullptr) != 0) return true;
  switch (::GetLastError()) {
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION:
    case ERROR_TOO_MANY_LINKS:
      return false;
    default:
      return failed_call(to, "link", errno_of_last_error());
  }
}

Result<void> sync_file(const std::string& path) {
  const Descriptor file(calls::open_there(OpenFolder(), path));
  if (file.get() < 0 || calls::flush(file.get()) != 0) return failed_call(path, "flush", errno);
  return {};
}

Result<uint64_t> free_bytes(const std::string& folder) {
  ULARGE_INTEGER free = {};
  if (::GetDiskFreeSpaceExW(wide_name(folder).c_str(), &free, nullptr, nullptr) == 0)
    return failed_call(folder, "ask for the free space of", errno_of_last_error());
  return free.QuadPart;
}

Result<FileLock> FileLock::take(const std::string& path) {
  Descriptor file(calls::open_to_write(OpenFolder(), path));
  if (file.get() >= 0 && calls::lock(file.get()) == 0) return FileLock(std::move(file));
  // The holder of the lock may just have removed the file; its name disappears when that program
  // closes it.
  if (errno != EWOULDBLOCK && errno != EACCES)
    return failed_call(path, file.get() < 0 ? "open" : "lock", errno);
  return failed({.file = path,
                 .expected = "no other program at work here",
                 .found = "another seekless that has it locked, or no right to write it",
                 .advice = "wait until that one is done"});
}

}  // namespace seekless
