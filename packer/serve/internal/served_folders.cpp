#include "packer/serve/internal/served_folders.h"

#include <filesystem>

#include "packer/base/paths.h"

namespace seekless {

std::string relative_to_game(const std::string& game, const std::string& path) {
  if (path.size() > game.size() && lies_in(path, game)) return path.substr(game.size() + 1);
  return std::filesystem::path(path).lexically_relative(game).generic_string();
}

}  // namespace seekless
