// What lies in a folder, for tests of what is left there.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace seekless {

// Names of what lies directly in it, sorted.
inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace seekless
