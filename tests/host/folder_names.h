// Lists a folder, for tests of what is left in it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace seekless {

// Returns the names of everything directly in it, sorted.
inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace seekless
