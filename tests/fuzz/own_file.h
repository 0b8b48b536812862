// Gives a fuzzer a folder for its process alone, because fuzzers run side by side.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

namespace seekless {

// The folder lies in memory if the system has such a place. It is removed when the process ends.
class OwnFolder {
 public:
  OwnFolder() {
    namespace fs = std::filesystem;
    const fs::path memory = "/dev/shm";
    std::error_code ignored;
    const bool has_memory = fs::is_directory(memory, ignored);
    path_ = (has_memory ? memory : fs::temp_directory_path()) /
            ("seekless-fuzz-" + std::to_string(::getpid()));
    fs::create_directories(path_);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const std::string& name) const { return (path_ / name).generic_string(); }

 private:
  std::filesystem::path path_;
};

inline std::string own_file(const std::string& name) {
  static const OwnFolder folder;
  return folder.file(name);
}

}  // namespace seekless
