#include "packer/serve/served_folders.h"

#include <algorithm>
#include <filesystem>

namespace seekless {
namespace {

bool is_within(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/' || folder == "/");
}

}  // namespace

std::vector<std::string> outermost(const std::vector<std::string>& folders) {
  std::vector<std::string> outer;
  for (const std::string& folder : folders) {
    const auto holds = [&](const std::string& other) { return is_within(folder, other); };
    if (std::ranges::any_of(outer, holds)) continue;
    std::erase_if(outer, [&](const std::string& other) { return is_within(other, folder); });
    outer.push_back(folder);
  }
  return outer;
}

std::string relative_to_game(const std::string& game, const std::string& path) {
  if (path.size() > game.size() && is_within(path, game)) return path.substr(game.size() + 1);
  return std::filesystem::path(path).lexically_relative(game).generic_string();
}

}  // namespace seekless
