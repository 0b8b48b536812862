#include "packer/host/kept_elsewhere.h"
#include "packer/host/native_path.h"

namespace seekless {

namespace fs = std::filesystem;

fs::path path_of_text(const std::string& path) {
  return path;
}

std::string text_of_path(const fs::path& path) {
  return path.string();
}

fs::file_type type_of(const std::string& path, std::error_code& error) {
  return fs::status(path, error).type();
}

bool is_link_itself(const std::string& path, std::error_code& error) {
  return fs::is_symlink(path, error);
}

std::string real_path(const std::string& path, std::error_code& error) {
  return fs::canonical(path, error).string();
}

std::string real_path_so_far(const std::string& path, std::error_code& error) {
  return fs::weakly_canonical(fs::absolute(path, error), error).string();
}

void make_all_folders(const std::string& path, std::error_code& error) {
  fs::create_directories(path, error);
}

bool is_kept_elsewhere(const std::string&) {
  return false;
}

bool has_windows_names() {
  return false;
}

ShellKind shell_kind_here() {
  return ShellKind::posix;
}

}  // namespace seekless
