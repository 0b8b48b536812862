#include <cerrno>
#include <cstdlib>

#include <windows.h>

#include "packer/host/calls.h"
#include "packer/host/files.h"
#include "packer/host/may_write.h"
#include "packer/host/os_error.h"
#include "packer/host/own_folder.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

// Returns an absolute path with slashes; empty if the variable isn't set.
std::string folder_of_variable(const wchar_t* name) {
  const wchar_t* value = ::_wgetenv(name);
  if (value == nullptr) return {};
  std::string folder = runtime::to_utf8(value);
  for (char& c : folder)
    if (c == '\\') c = '/';
  return kind_of_path(folder) == PathKind::folder ? folder : "";
}

}  // namespace

// Rights are inherited, so everything in the user's own folder belongs to the user.
bool is_own_folder(const std::string& path) {
  return kind_of_path(path) == PathKind::folder;
}

std::string state_folder() {
  if (const std::string state = folder_of_variable(L"XDG_STATE_HOME"); !state.empty())
    return state + "/seekless";
  const std::string local = folder_of_variable(L"LOCALAPPDATA");
  return local.empty() ? "" : local + "/seekless";
}

std::string home_folder() {
  const std::string home = folder_of_variable(L"USERPROFILE");
  return home.empty() ? "" : canonical_path(home);
}

// The rights are checked when the folder is opened.
bool may_write(const std::string& folder) {
  const auto name = runtime::to_wide_path(folder);
  constexpr DWORD kAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  return name && runtime::Handle(::CreateFileW(name->c_str(), FILE_ADD_FILE, kAll, nullptr,
                                               OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

std::string folder_of_environment(const std::string& variable) {
  const auto name = runtime::to_wide(variable);
  return name ? folder_of_variable(name->c_str()) : "";
}

Result<void> make_own_folders(const std::string& path) {
  return make_folders(path);
}

Result<void> check_own_folder(const std::string& path) {
  if (is_own_folder(path)) return {};
  return failed({.file = path, .expected = "a folder", .found = "none"});
}

Result<void> check_holding_folder(const std::string& path) {
  return check_own_folder(path);
}

void close_to_others(const std::string&) {}

Result<Descriptor> open_own_file(const std::string& path) {
  Descriptor file(calls::open_to_read(path, false));
  if (file.get() < 0) return failed_call(path, "open", errno);
  return file;
}

void append_text(const std::string& path, const std::string& text) {
  const auto name = runtime::to_wide_path(path);
  if (!name) return;
  const runtime::Handle file(::CreateFileW(name->c_str(), FILE_APPEND_DATA,
                                           FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                           nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr));
  DWORD put = 0;
  if (file) ::WriteFile(file.get(), text.data(), static_cast<DWORD>(text.size()), &put, nullptr);
}

}  // namespace seekless
