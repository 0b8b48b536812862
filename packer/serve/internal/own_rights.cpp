#include "packer/serve/internal/own_rights.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "packer/host/descriptor.h"

namespace seekless {
namespace {

constexpr const char* kUsualPath = "/bin:/usr/bin";  // execvp() uses this if PATH isn't set

std::string found_in_path(const std::string& program) {
  if (program.contains('/')) return program;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? kUsualPath : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = (folder.empty() ? "." : folder) + "/" + program;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return program;
}

// Returns the first bytes of the file, or fewer if it is shorter or can't be read.
std::string beginning_of(const std::string& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 16> begin = {};
  const ssize_t got = opened.get() < 0 ? 0 : ::read(opened.get(), begin.data(), begin.size());
  return {begin.data(), got < 0 ? 0 : static_cast<size_t>(got)};
}

// Returns true for a script, which the system gives no rights, whatever its file says. A file that
// can't be read counts as no script.
bool is_script(const std::string& file) {
  return beginning_of(file).starts_with("#!");
}

// Returns true for an AppImage that mounts its own content. The mark in the padding of its ELF
// header is described at https://github.com/AppImage/AppImageSpec/blob/master/draft.md.
bool mounts_itself(const std::string& file) {
  constexpr size_t kMark = 8;
  const std::string begin = beginning_of(file);
  if (!begin.starts_with("\177ELF")) return false;
  const auto mark = std::string_view(begin).substr(std::min(kMark, begin.size()));
  // Only AppImages of type 2 know this variable.
  const bool is_extracted = std::getenv("APPIMAGE_EXTRACT_AND_RUN") != nullptr;
  return mark.starts_with("AI\x01") || (mark.starts_with("AI\x02") && !is_extracted);
}

bool may_give_rights(const std::string& file) {
  struct statvfs place = {};
  if (::statvfs(file.c_str(), &place) == 0 && (place.f_flag & ST_NOSUID) != 0) return false;
  return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

std::string name_of_user(uid_t user) {
  const passwd* known = ::getpwuid(user);
  return known == nullptr ? std::to_string(user) : known->pw_name;
}

std::string name_of_group(gid_t group) {
  const ::group* known = ::getgrgid(group);
  return known == nullptr ? std::to_string(group) : known->gr_name;
}

// Returns a description of the rights, or an empty text.
std::string rights_beside_callers(const std::string& file, const struct stat& status) {
  // S_ISGID means something else without S_IXGRP.
  constexpr mode_t kSetsGroup = S_ISGID | S_IXGRP;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid())
    return fmt::format("those of the user {}", name_of_user(status.st_uid));
  if ((status.st_mode & kSetsGroup) == kSetsGroup && status.st_gid != ::getegid())
    return fmt::format("those of the group {}", name_of_group(status.st_gid));
  if (::getxattr(file.c_str(), "security.capability", nullptr, 0) > 0) return "capabilities";
  return {};
}

}  // namespace

Result<void> check_keeps_rights(const std::string& program) {
  const std::string file = found_in_path(program);
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (mounts_itself(file))
    return failed({.file = file,
                   .expected = "a program that needs nobody's rights but yours",
                   .found = "an AppImage, which mounts its content by fusermount3",
                   .advice = "where a folder is served for a user, the system lets it mount "
                             "nothing; most start without a mount by APPIMAGE_EXTRACT_AND_RUN=1"});
  const std::string rights = rights_beside_callers(file, status);
  if (rights.empty() || !may_give_rights(file) || is_script(file)) return {};
  return failed({.file = file,
                 .expected = "a program with nobody's rights but yours",
                 .found = rights,
                 .advice = "the system gives it none of them where a folder is served for a user; "
                           "if it only starts the game, have it start 'seekless play'"});
}

}  // namespace seekless
