#include "packer/content/game_folder.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/base/windows_names.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "packer/host/whole_files.h"

namespace seekless {
namespace {

constexpr std::string_view kSystemFolders[] = {"/proc", "/sys", "/boot", "/etc"};
constexpr std::string_view kSharedFolders[] = {"/",
                                               "/usr",
                                               "/usr/games",
                                               "/usr/lib",
                                               "/usr/lib/games",
                                               "/usr/local",
                                               "/usr/local/games",
                                               "/usr/local/lib",
                                               "/usr/local/share",
                                               "/usr/local/share/games",
                                               "/usr/share",
                                               "/usr/share/games",
                                               "/home",
                                               "/var",
                                               "/var/tmp",
                                               "/tmp",
                                               "/mnt",
                                               "/media",
                                               "/opt",
                                               "/root",
                                               "/run",
                                               "/dev"};
constexpr std::string_view kSharedInHome[] = {".cache", ".config", ".local", ".local/share",
                                              ".var/app"};
// Games also read a few files outside their own folder: fonts, icons, files in the player's home.
constexpr double kGamesShare = 0.9;

// Recordings made on Windows have backslashes.
std::string with_slashes(std::string_view path) {
  std::string text(path);
  if (is_path_of_windows(path)) std::ranges::replace(text, '\\', '/');
  return text;
}

// Returns the deepest folder in which at least that share of the files lies; empty if that is the
// root or right below it.
std::string folder_of_most(const Content& content, double share) {
  std::map<std::string, size_t, std::less<>> files_in;
  for (const Source& source : content.sources) {
    const std::string path = with_slashes(source.path);
    for (std::string_view above = folder_above(path); std::ranges::count(above, '/') > 1;
         above = folder_above(above))
      ++files_in[std::string(above)];
  }
  std::string deepest;
  for (const auto& [folder, files] : files_in)
    if (static_cast<double>(files) >= share * static_cast<double>(content.sources.size()) &&
        folder.size() > deepest.size())
      deepest = folder;
  return deepest;
}

// Recognises Windows' own folders in any spelling that Windows accepts.
bool is_shared_on_windows(const std::string& folder) {
  const std::string path = one_windows_spelling(folder);
  if (path.size() < 3 || path[1] != ':') return false;
  const std::string_view below = std::string_view(path).substr(2);
  constexpr std::string_view kShared[] = {"/", "/program files", "/program files (x86)",
                                          "/programdata", "/users"};
  return std::ranges::find(kShared, below) != std::end(kShared) ||
         folder_above(below) == "/users" || lies_in(below, "/windows");
}

bool is_shared_on_posix(const std::string& folder) {
  return std::ranges::find(kSharedFolders, folder) != std::end(kSharedFolders) ||
         folder_above(folder) == "/home" ||
         std::ranges::any_of(kSystemFolders, [&](auto system) { return lies_in(folder, system); });
}

bool is_shared_in_home(const std::string& folder) {
  const std::string home = home_folder();
  if (home.empty()) return false;
  return lies_in(home, folder) || std::ranges::any_of(kSharedInHome, [&](auto below) {
           return folder == fmt::format("{}/{}", home, below);
         });
}

// A game may have its own volume, but if the folder is only guessed, a whole volume more likely
// holds several games.
bool is_whole_disk(const std::string& folder) {
  const auto here = identity_of(folder);
  const auto above = identity_of(std::string(folder_above(folder)));
  return here && above && here->device != above->device;
}

}  // namespace

std::string game_folder(const Content& content) {
  for (const double share : {1.0, kGamesShare}) {
    std::string folder = folder_of_most(content, share);
    if (!folder.empty() && may_be_game_s(folder) && !is_whole_disk(folder)) return folder;
  }
  return "";
}

bool may_be_game_s(const std::string& folder) {
  if (is_path_of_windows(folder) ? is_shared_on_windows(folder) : is_shared_on_posix(folder))
    return false;
  return !is_shared_in_home(folder);
}

}  // namespace seekless
