// A temporary folder for a test, removed when the test ends.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace seekless {

class TestFolder {
 public:
  TestFolder() {
    const std::string front =
        std::filesystem::path(testing::TempDir()).generic_string() + "seekless-test-";
    std::random_device random;
    do path_ = front + std::to_string(random());
    while (!std::filesystem::create_directory(path_));
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  // Windows may still hold files that were just closed. Files that can't be removed stay.
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string path(const std::string& relative) const { return path_ + "/" + relative; }

  // Returns the file's full path.
  std::string write(const std::string& relative, std::string_view bytes) const {
    const std::filesystem::path file = path(relative);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file.generic_string();
  }
  // Doesn't work on Windows.
  std::string make_pipe(const std::string& relative) const {
    EXPECT_EQ(std::system(("mkfifo '" + path(relative) + "'").c_str()), 0);
    return path(relative);
  }

 private:
  std::string path_;
};

}  // namespace seekless
