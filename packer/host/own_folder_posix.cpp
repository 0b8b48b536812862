#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/files.h"
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

void append_text(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                               S_IRUSR | S_IWUSR));
  if (file.get() >= 0) (void)!::write(file.get(), text.data(), text.size());
}

}  // namespace seekless
