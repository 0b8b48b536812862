// Completes a path from the root. On Windows it gets the drive of the folder that the program runs
// in.
#pragma once

#include <filesystem>
#include <string>

namespace seekless {

inline std::string on_drive(const std::string& path) {
  return std::filesystem::absolute("/").root_name().string() + path;
}

}  // namespace seekless
