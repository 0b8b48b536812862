#include <algorithm>
#include <cerrno>

#include <windows.h>

#include "packer/host/errors_windows.h"
#include "packer/host/kept_elsewhere.h"
#include "packer/host/native_path.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using runtime::Handle;

// Returns the path for Windows' own calls. The standard library's functions can't take long paths,
// because they read the prefix "\\?\" as a pattern.
std::wstring opened_as(const std::string& path) {
  return runtime::to_wide_path(path).value_or(std::wstring());
}

std::error_code last_error() {
  return {errno_of_last_error(), std::generic_category()};
}

bool is_missing(const std::error_code& error) {
  return error.value() == ENOENT || error.value() == ENOTDIR;
}

// Opens without access to the content, so that a file kept on a server isn't downloaded.
Handle open_to_look(const std::string& path) {
  constexpr DWORD kAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  return Handle(::CreateFileW(opened_as(path).c_str(), 0, kAll, nullptr, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_NO_RECALL, nullptr));
}

fs::path whole_path(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path_of_text(path), ignored).lexically_normal();
}

std::string without_end(const fs::path& folder) {
  return text_of_path(folder.has_filename() ? folder : folder.parent_path());
}

fs::file_type type_of_attributes(DWORD attributes) {
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? fs::file_type::directory
                                                      : fs::file_type::regular;
}

}  // namespace

fs::path path_of_text(const std::string& path) {
  return runtime::to_wide(path).value_or(std::wstring());
}

std::string text_of_path(const fs::path& path) {
  // The generic form would lose one of the two slashes before a drive's root.
  std::wstring text = path.native();
  std::ranges::replace(text, L'\\', L'/');
  constexpr size_t kPrefix = 4, kServerPrefix = 8;  // lengths of "//?/" and "//?/UNC/"
  if (text.starts_with(L"//?/UNC/"))
    text.replace(0, kServerPrefix, L"//");
  else if (text.starts_with(L"//?/"))
    text.erase(0, kPrefix);
  return runtime::to_utf8(fs::path(text).generic_wstring());
}

fs::file_type type_of(const std::string& path, std::error_code& error) {
  error.clear();
  const Handle file = open_to_look(path);
  BY_HANDLE_FILE_INFORMATION found = {};
  if (!file) {
    error = last_error();
    if (is_missing(error)) return fs::file_type::not_found;
    // A file that can't be opened can still be examined through its folder.
    const DWORD attributes = ::GetFileAttributesW(opened_as(path).c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES) return fs::file_type::none;
    error.clear();
    return type_of_attributes(attributes);
  }
  if (::GetFileType(file.get()) != FILE_TYPE_DISK) return fs::file_type::character;
  if (::GetFileInformationByHandle(file.get(), &found) != 0)
    return type_of_attributes(found.dwFileAttributes);
  error = last_error();
  return fs::file_type::none;
}

bool is_link_itself(const std::string& path, std::error_code& error) {
  error.clear();
  const DWORD attributes = ::GetFileAttributesW(opened_as(path).c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES)
    return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
  error = last_error();
  return false;
}

std::string real_path(const std::string& path, std::error_code& error) {
  error.clear();
  const Handle file = open_to_look(path);
  if (!file) {
    error = last_error();
    return {};
  }
  const DWORD most = ::GetFinalPathNameByHandleW(file.get(), nullptr, 0, FILE_NAME_NORMALIZED);
  std::wstring real(most, L'\0');
  const DWORD length =
      ::GetFinalPathNameByHandleW(file.get(), real.data(), most, FILE_NAME_NORMALIZED);
  // Some network drives don't resolve paths, and Wine doesn't resolve long ones. Then links stay in
  // the path.
  if (length == 0 || length >= most) return without_end(whole_path(path));
  real.resize(length);
  return text_of_path(real);
}

std::string real_path_so_far(const std::string& path, std::error_code& error) {
  fs::path there = whole_path(path);
  fs::path rest;
  for (;;) {
    const std::string real = real_path(text_of_path(there), error);
    if (!error) return rest.empty() ? real : text_of_path(path_of_text(real) / rest);
    if (!is_missing(error)) return text_of_path(there / rest);
    error.clear();
    if (!there.has_relative_path()) return text_of_path(there / rest);
    rest = rest.empty() ? there.filename() : there.filename() / rest;
    there = there.parent_path();
  }
}

void make_all_folders(const std::string& path, std::error_code& error) {
  error.clear();
  if (::CreateDirectoryW(opened_as(path).c_str(), nullptr) != 0) return;
  const DWORD os_error = ::GetLastError();
  const size_t slash = path.find_last_of("/\\");
  if (os_error == ERROR_PATH_NOT_FOUND && slash != std::string::npos && slash > 0) {
    make_all_folders(path.substr(0, slash), error);
    if (error || slash + 1 == path.size()) return;
    if (::CreateDirectoryW(opened_as(path).c_str(), nullptr) != 0) return;
  }
  std::error_code ignored;
  if (type_of(path, ignored) != fs::file_type::directory)
    error = {errno_of(os_error), std::generic_category()};
}

bool is_kept_elsewhere(const std::string& path) {
  // These are FILE_ATTRIBUTE_RECALL_ON_OPEN and FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS, which some
  // compilers' headers lack.
  constexpr DWORD kRecalledWhenOpened = 0x00040000, kRecalledWhenRead = 0x00400000;
  constexpr DWORD kRecalled = FILE_ATTRIBUTE_OFFLINE | kRecalledWhenOpened | kRecalledWhenRead;
  const DWORD attributes = ::GetFileAttributesW(opened_as(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return false;
  if ((attributes & kRecalled) != 0) return true;
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return false;
  // These may be the attributes of a link to such a file.
  const Handle file = open_to_look(path);
  BY_HANDLE_FILE_INFORMATION found = {};
  return file && ::GetFileInformationByHandle(file.get(), &found) != 0 &&
         (found.dwFileAttributes & kRecalled) != 0;
}

bool has_windows_names() {
  return true;
}

ShellKind shell_kind_here() {
  return ShellKind::windows;
}

}  // namespace seekless
