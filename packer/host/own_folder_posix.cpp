#include <cerrno>
#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/files.h"
#include "packer/host/may_write.h"
#include "packer/host/os_error.h"
#include "packer/host/own_folder.h"

namespace seekless {

bool is_own_folder(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & S_IWOTH) == 0;
}

namespace {

std::string folder_of_variable(const char* name) {
  const char* value = std::getenv(name);
  const bool is_absolute = value != nullptr && *value == '/';
  return is_absolute && is_own_folder(value) ? value : "";
}

}  // namespace

std::string state_folder() {
  if (const std::string state = folder_of_variable("XDG_STATE_HOME"); !state.empty())
    return state + "/seekless";
  const std::string home = folder_of_variable("HOME");
  return home.empty() ? "" : home + "/.local/state/seekless";
}

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? canonical_path(home) : "";
}

bool may_write(const std::string& folder) {
  return ::access(folder.c_str(), W_OK) == 0;
}

std::string folder_of_environment(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return value != nullptr && *value == '/' ? value : "";
}

Result<void> make_own_folders(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  const bool has_above = slash != std::string::npos && slash > 0;
  if (::mkdir(path.c_str(), S_IRWXU) == 0) return {};
  if (errno == ENOENT && has_above) {
    SKL_TRY_DO(make_own_folders(path.substr(0, slash)));
    if (::mkdir(path.c_str(), S_IRWXU) == 0) return {};
  }
  const int os_error = errno;
  if (kind_of_path(path) == PathKind::folder) return {};
  return failed_call(path, "create the folder", os_error);
}

namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
// This user owns files whose real owner a user name space doesn't know.
constexpr uid_t kUnknownUser = 65534;
constexpr const char* kAdvice =
    "make it yours alone (chown, chmod -R go-rwx), remove it, or name another place with --state";

std::unexpected<Error> not_own(const std::string& path, const std::string& expected,
                               const std::string& found) {
  return failed({.file = path, .expected = expected, .found = found, .advice = kAdvice});
}

// Returns false in a user name space, where even the machine's root isn't known.
bool knows_all_users() {
  std::ifstream map("/proc/self/uid_map");
  uint64_t inside = 0, outside = 0, count = 0;
  return !(map >> inside >> outside >> count) || (outside == 0 && count >= kUnknownUser);
}

bool is_own_or_root_s(const struct stat& status) {
  return status.st_uid == ::geteuid() || status.st_uid == 0 ||
         (status.st_uid == kUnknownUser && !knows_all_users());
}

std::string owner_of(const struct stat& status) {
  return fmt::format("one of user {}", status.st_uid);
}

// Refuses other users' links on the way to the path, because a link's owner may redirect it.
Result<void> check_links_above(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string above = path.substr(0, slash);
    struct stat status = {};
    if (::lstat(above.c_str(), &status) != 0) return failed_call(above, "look at", errno);
    if (S_ISLNK(status.st_mode) && !is_own_or_root_s(status))
      return not_own(above, "a folder, or a link of yours", "a link of another user");
  }
  return {};
}

Result<struct stat> status_of_folder(const std::string& path) {
  SKL_TRY_DO(check_links_above(path));
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return failed_call(path, "look at", errno);
  if (S_ISDIR(status.st_mode)) return status;
  return not_own(path, "a folder of your own", S_ISLNK(status.st_mode) ? "a link" : "no folder");
}

Result<void> check_alone(const std::string& path, const struct stat& status) {
  if ((status.st_mode & kOthersWrite) == 0) return {};
  return not_own(path, "that only you may write there",
                 fmt::format("the permissions {:o}", status.st_mode & 0777U));
}

}  // namespace

Result<void> check_own_folder(const std::string& path) {
  SKL_TRY(const auto status, status_of_folder(path));
  if (status.st_uid != ::geteuid()) return not_own(path, "a folder of your own", owner_of(status));
  return check_alone(path, status);
}

Result<void> check_holding_folder(const std::string& path) {
  SKL_TRY(const auto status, status_of_folder(path));
  if ((status.st_mode & S_ISVTX) != 0) return {};
  if (!is_own_or_root_s(status)) return not_own(path, "a folder of your own", owner_of(status));
  return check_alone(path, status);
}

void close_to_others(const std::string& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (opened.get() >= 0) (void)::fchmod(opened.get(), S_IRWXU);
}

Result<Descriptor> open_own_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0 && errno == ELOOP) return not_own(path, "a file of your own", "a link");
  if (file.get() < 0) return failed_call(path, "open", errno);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) return failed_call(path, "look at", errno);
  if (!S_ISREG(status.st_mode)) return not_own(path, "a file of your own", "no file");
  if (status.st_uid != ::geteuid()) return not_own(path, "a file of your own", owner_of(status));
  SKL_TRY_DO(check_alone(path, status));
  return file;
}

void append_text(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                               S_IRUSR | S_IWUSR));
  if (file.get() >= 0) (void)!::write(file.get(), text.data(), text.size());
}

}  // namespace seekless
