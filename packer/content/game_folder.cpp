#include "packer/content/game_folder.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "packer/base/paths.h"
#include "packer/host/own_folder.h"

namespace seekless {
namespace {

constexpr std::array<std::string_view, 5> kSharedFolders = {"/usr/share", "/usr/share/games",
                                                            "/usr/games", "/usr/lib", "/usr/local"};
// Games also read a few files beside their game's: of the player's home, fonts, icons.
constexpr double kGamesShare = 0.9;

// Returns the deepest folder in which at least that share of the files lies; empty if that is the
// root or right below it.
std::string folder_of_most(const Content& content, double share) {
  std::map<std::string, size_t, std::less<>> files_in;
  for (const Source& source : content.sources)
    for (std::string_view above = folder_above(source.path); std::ranges::count(above, '/') > 1;
         above = folder_above(above))
      ++files_in[std::string(above)];
  std::string deepest;
  for (const auto& [folder, files] : files_in)
    if (static_cast<double>(files) >= share * static_cast<double>(content.sources.size()) &&
        folder.size() > deepest.size())
      deepest = folder;
  return deepest;
}

}  // namespace

std::string game_folder(const Content& content) {
  for (const double share : {1.0, kGamesShare}) {
    const std::string folder = folder_of_most(content, share);
    const bool is_shared = std::ranges::find(kSharedFolders, folder) != kSharedFolders.end() ||
                           folder == home_folder();
    if (!folder.empty() && !is_shared) return folder;
  }
  return "";
}

}  // namespace seekless
