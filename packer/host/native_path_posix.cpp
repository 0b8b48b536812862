#include "packer/host/native_path.h"

namespace seekless {

std::filesystem::path to_native(const std::string& path) {
  return path;
}

std::filesystem::path path_of_text(const std::string& path) {
  return path;
}

std::string from_native(const std::filesystem::path& path) {
  return path.string();
}

bool has_windows_names() {
  return false;
}

int os_error_of(const std::error_code& error) {
  return error.value();
}

}  // namespace seekless
