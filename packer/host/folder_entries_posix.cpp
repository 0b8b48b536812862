#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "packer/host/close_folder.h"
#include "packer/host/fence.h"
#include "packer/host/folder_entries.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

std::string path_of(const std::string& folder, const char* name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

bool is_nothing(int os_error) {
  return os_error == ENOENT || os_error == ENOTDIR || os_error == ELOOP;
}

Result<std::optional<FolderEntry>> look_at(DIR& folder, const std::string& path, const char* name) {
  struct stat status = {};
  if (::fstatat(::dirfd(&folder), name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;  // it was just removed
    return failed_call(path_of(path, name), "look at", errno);
  }
  FolderEntry entry = {.name = name, .is_link = S_ISLNK(status.st_mode)};
  if (entry.is_link && ::fstatat(::dirfd(&folder), name, &status, 0) != 0) {
    entry.leads_nowhere = is_nothing(errno);
    if (entry.leads_nowhere) return entry;
    return failed_call(path_of(path, name), "look at", errno);
  }
  entry.is_folder = S_ISDIR(status.st_mode);
  if (!entry.is_folder && !S_ISREG(status.st_mode)) return std::nullopt;
  if (!entry.is_folder) entry.size_bytes = static_cast<uint64_t>(status.st_size);
  return entry;
}

std::unique_ptr<DIR, CloseFolder> open_to_list(const std::string& folder) {
  const OpenFolder found = OpenFolder::open(folder);
  errno = found.os_error();
  if (!found.is_open()) return nullptr;
  Descriptor file(::openat(found.descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0) return nullptr;
  std::unique_ptr<DIR, CloseFolder> opened(::fdopendir(file.get()));
  if (opened) file.release();
  return opened;
}

}  // namespace

Result<std::vector<FolderEntry>> find_entries(const std::string& folder) {
  const auto opened = open_to_list(folder);
  if (!opened) return failed_call(folder, "open", errno);
  std::vector<FolderEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* found = ::readdir(opened.get());
    if (found == nullptr && errno != 0) return failed_call(folder, "read the folder", errno);
    if (found == nullptr) break;
    const std::string_view name = found->d_name;
    if (name == "." || name == "..") continue;
    SKL_TRY(auto entry, look_at(*opened, folder, found->d_name));
    if (entry) entries.push_back(*std::move(entry));
  }
  return entries;
}

}  // namespace seekless
