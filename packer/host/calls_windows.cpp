#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <windows.h>
#include <winioctl.h>

#include "packer/host/calls.h"
#include "packer/host/errors_windows.h"
#include "packer/host/fence.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless::calls {
namespace {

using runtime::Handle;

// Lets other programs read, rename and remove files that are open here; lock() keeps other writers
// out.
constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr size_t kMostOfACall = size_t{1} << 30;

int failed() {
  errno = errno_of_last_error();
  return -1;
}

int answer(BOOL is_done) {
  return is_done != 0 ? 0 : failed();
}

HANDLE handle_of(int file) {
  return reinterpret_cast<HANDLE>(::_get_osfhandle(file));
}

int number_of(Handle handle) {
  if (!handle) return failed();
  const int file = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle.get()), _O_BINARY);
  if (file >= 0) (void)handle.release();
  return file;
}

std::optional<std::wstring> wide(const std::string& path) {
  auto found = runtime::to_wide_path(path);
  if (!found) ::SetLastError(ERROR_INVALID_NAME);
  return found;
}

Handle open_as(const std::string& path, DWORD access, DWORD how, DWORD flags) {
  const auto name = wide(path);
  if (!name) return {};
  return Handle(::CreateFileW(name->c_str(), access, kShared, nullptr, how, flags, nullptr));
}

std::string path_in(const OpenFolder& folder, const std::string& name) {
  return folder.path().empty() ? name : folder.path() + "/" + name;
}

OVERLAPPED place_at(uint64_t offset_bytes) {
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(offset_bytes);
  place.OffsetHigh = static_cast<DWORD>(offset_bytes >> 32);
  return place;
}

int64_t read_by(int file, void* bytes, size_t count, OVERLAPPED* place) {
  DWORD got = 0;
  const auto wanted = static_cast<DWORD>(std::min(count, kMostOfACall));
  if (::ReadFile(handle_of(file), bytes, wanted, &got, place) != 0) return got;
  const DWORD os_error = ::GetLastError();
  return os_error == ERROR_HANDLE_EOF || os_error == ERROR_BROKEN_PIPE ? 0 : failed();
}

int64_t write_by(int file, const void* bytes, size_t count, OVERLAPPED* place) {
  DWORD put = 0;
  const auto wanted = static_cast<DWORD>(std::min(count, kMostOfACall));
  return ::WriteFile(handle_of(file), bytes, wanted, &put, place) != 0 ? int64_t{put} : failed();
}

// Returns the full path.
std::wstring whole_name(const std::wstring& path) {
  if (path.starts_with(LR"(\\?\)")) return path;
  std::wstring whole(path.size() + MAX_PATH, L'\0');
  const DWORD length =
      ::GetFullPathNameW(path.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr);
  if (length == 0 || length >= whole.size()) return path;
  whole.resize(length);
  return whole;
}

bool rename_as_posix(const std::wstring& from, const std::wstring& to) {
  const Handle file(
      ::CreateFileW(from.c_str(), DELETE | SYNCHRONIZE, kShared, nullptr, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!file) return false;
  // Copies FILE_RENAME_INFO with its newer field, flags, which mingw-w64 lacks. The other fields
  // are the folder that the name is in (none for a full path), the length of the name in bytes, and
  // the name.
  struct Renaming {
    DWORD flags;
    HANDLE folder;
    DWORD name_bytes;
    wchar_t name[1];
  };
  constexpr auto kRenameInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  constexpr DWORD kReplaceAsPosix = 1 | 2;
  const std::wstring name = whole_name(to);
  const size_t name_bytes = name.size() * sizeof(wchar_t);
  std::vector<std::byte> bytes(sizeof(Renaming) + name_bytes);
  auto* renaming =
      new (bytes.data()) Renaming{kReplaceAsPosix, nullptr, static_cast<DWORD>(name_bytes), {}};
  std::memcpy(renaming->name, name.data(), name_bytes);
  return ::SetFileInformationByHandle(file.get(), kRenameInfoEx, renaming,
                                      static_cast<DWORD>(bytes.size())) != 0;
}

}  // namespace

int open_to_read(const std::string& path, bool) {
  return number_of(open_as(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS));
}

int open_to_write(const OpenFolder& folder, const std::string& name) {
  return number_of(
      open_as(path_in(folder, name), GENERIC_WRITE, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL));
}

// Creates a file. Rights are inherited, so a private file can't be narrower than its folder: anyone
// whom the folder lets in may read it.
int create_new(const OpenFolder& folder, const std::string& name, bool) {
  return number_of(open_as(path_in(folder, name), GENERIC_READ | GENERIC_WRITE, CREATE_NEW,
                           FILE_ATTRIBUTE_NORMAL));
}

int open_there(const OpenFolder& folder, const std::string& name) {
  return number_of(open_as(path_in(folder, name), GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING,
                           FILE_FLAG_OPEN_REPARSE_POINT));
}

int open_there_to_read(const OpenFolder& folder, const std::string& name) {
  return number_of(
      open_as(path_in(folder, name), GENERIC_READ, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT));
}

int open_nameless() {
  wchar_t folder[MAX_PATH + 1];
  wchar_t name[MAX_PATH + 1];
  if (::GetTempPathW(MAX_PATH, folder) == 0 || ::GetTempFileNameW(folder, L"skl", 0, name) == 0)
    return failed();
  constexpr DWORD kHow = FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE;
  return number_of(Handle(::CreateFileW(name, GENERIC_READ | GENERIC_WRITE | DELETE, kShared,
                                        nullptr, CREATE_ALWAYS, kHow, nullptr)));
}

int open_past_cache(const OpenFolder& folder, const std::string& name, int) {
  return number_of(
      open_as(path_in(folder, name), GENERIC_WRITE, OPEN_EXISTING, FILE_FLAG_NO_BUFFERING));
}

int close(int file) noexcept {
  return ::_close(file);
}

bool look_at(int file, Status& status) {
  const HANDLE handle = handle_of(file);
  const DWORD type = ::GetFileType(handle);
  status.kind = type == FILE_TYPE_PIPE ? Kind::pipe : Kind::device;
  status.size_bytes = 0;
  if (type != FILE_TYPE_DISK) return true;
  BY_HANDLE_FILE_INFORMATION found = {};
  if (::GetFileInformationByHandle(handle, &found) == 0) return answer(FALSE) == 0;
  const bool is_folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  status.kind = is_folder ? Kind::folder : Kind::file;
  status.size_bytes = uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow;
  return true;
}

bool is_there(const OpenFolder& folder, const std::string& name) noexcept {
  try {
    const auto path = wide(path_in(folder, name));
    if (path && ::GetFileAttributesW(path->c_str()) != INVALID_FILE_ATTRIBUTES) return true;
    return answer(FALSE) == 0;
  } catch (const std::exception&) {
    errno = ENOMEM;
    return false;
  }
}

bool is_there(const std::string& path) noexcept {
  return is_there(OpenFolder(), path);
}

int64_t read(int file, void* bytes, size_t count) {
  return read_by(file, bytes, count, nullptr);
}

int64_t read_at(int file, void* bytes, size_t count, uint64_t offset_bytes) {
  OVERLAPPED place = place_at(offset_bytes);
  return read_by(file, bytes, count, &place);
}

int64_t write(int file, const void* bytes, size_t count) {
  return write_by(file, bytes, count, nullptr);
}

int64_t write_at(int file, const void* bytes, size_t count, uint64_t offset_bytes) {
  OVERLAPPED place = place_at(offset_bytes);
  return write_by(file, bytes, count, &place);
}

// Reserves the space and sets the size at once, because writing inside a file costs NTFS less than
// appending.
int reserve(int file, uint64_t size_bytes) {
  FILE_ALLOCATION_INFO room = {};
  room.AllocationSize.QuadPart = static_cast<LONGLONG>(size_bytes);
  const bool has_room =
      ::SetFileInformationByHandle(handle_of(file), FileAllocationInfo, &room, sizeof(room)) != 0;
  if (!has_room && errno_of_last_error() == ENOSPC) return ENOSPC;
  return resize(file, size_bytes) == 0 ? 0 : errno;
}

int resize(int file, uint64_t size_bytes) {
  FILE_END_OF_FILE_INFO end = {};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size_bytes);
  return answer(
      ::SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof(end)));
}

int flush(int file) {
  return answer(::FlushFileBuffers(handle_of(file)));
}

int lock(int file) noexcept {
  // Windows' locks also block reads and writes, so this lock lies past the end of any file.
  OVERLAPPED place = place_at(uint64_t{INT64_MAX} - 1);
  constexpr DWORD kHow = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
  return answer(::LockFileEx(handle_of(file), kHow, 0, 1, 0, &place));
}

int rename(const OpenFolder& from_folder, const std::string& from, const OpenFolder& to_folder,
           const std::string& to) {
  const auto source = wide(path_in(from_folder, from));
  const auto target = wide(path_in(to_folder, to));
  if (!source || !target) return failed();
  // As on POSIX, programs that have the old file open can still use it. Older versions of Windows
  // can't do that.
  if (rename_as_posix(*source, *target)) return 0;
  if (::MoveFileExW(source->c_str(), target->c_str(), MOVEFILE_REPLACE_EXISTING) != 0) return 0;
  const int result = failed();
  const DWORD there = ::GetFileAttributesW(target->c_str());
  constexpr DWORD kNotOurs = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY;
  if (errno == EACCES && there != INVALID_FILE_ATTRIBUTES && (there & kNotOurs) == 0) errno = EBUSY;
  return result;
}

int remove_file(const OpenFolder& folder, const std::string& name) {
  const auto path = wide(path_in(folder, name));
  return path ? answer(::DeleteFileW(path->c_str())) : failed();
}

int remove_folder(const OpenFolder& folder, const std::string& name) {
  const auto path = wide(path_in(folder, name));
  return path ? answer(::RemoveDirectoryW(path->c_str())) : failed();
}

// Does nothing: NTFS keeps a log of its names, and Windows has no call to flush a folder.
int flush_folder(const OpenFolder&) {
  return 0;
}

// Does nothing: only an administrator may flush a volume, and each file was flushed before it got
// its name.
int flush_file_system(const OpenFolder&) {
  return 0;
}

bool is_no_room(int os_error) {
  return os_error == ENOSPC || os_error == EFBIG;
}

bool is_lost_connection(int os_error) {
  return os_error == ETIMEDOUT;
}

bool random_bytes(void* bytes, size_t count) {
  // This function is the system's random generator since Windows Vista; advapi32 has had it under
  // this name since 2001.
  static const auto fill = reinterpret_cast<BOOLEAN(WINAPI*)(void*, ULONG)>(reinterpret_cast<void*>(
      ::GetProcAddress(::LoadLibraryW(L"advapi32.dll"), "SystemFunction036")));
  if (fill != nullptr && fill(bytes, static_cast<ULONG>(count)) != 0) return true;
  errno = EIO;
  return false;
}

}  // namespace seekless::calls
