#include "packer/library/internal/game_collector.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/base/windows_names.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"

namespace seekless {
namespace {

// No library has more games; a forged manifest may claim any number.
constexpr size_t kMostGames = 20'000;
constexpr size_t kMostFaults = 100;
// These and the folders around the user's own aren't a game's, whatever a manifest says.
constexpr std::string_view kSystemFolders[] = {"/proc", "/sys", "/boot", "/etc"};
constexpr std::string_view kNoGames[] = {"/",        "/usr",   "/usr/share", "/usr/share/games",
                                         "/usr/lib", "/home",  "/var",       "/tmp",
                                         "/mnt",     "/media", "/opt",       "/root",
                                         "/run",     "/dev"};

// Windows' own folders, by any name that they have there.
bool is_shared_on_windows(const std::string& folder) {
  const std::string path = one_windows_spelling(folder);
  if (path.size() < 3 || path[1] != ':') return false;
  const std::string_view below = std::string_view(path).substr(2);
  constexpr std::string_view kShared[] = {"/", "/program files", "/program files (x86)",
                                          "/programdata", "/users"};
  return std::ranges::find(kShared, below) != std::end(kShared) || lies_in(below, "/windows");
}

bool may_be_game_s(const std::string& folder) {
  if (has_windows_names() && is_shared_on_windows(folder)) return false;
  if (std::ranges::find(kNoGames, folder) != std::end(kNoGames)) return false;
  if (std::ranges::any_of(kSystemFolders,
                          [&](std::string_view one) { return lies_in(folder, one); }))
    return false;
  const std::string home = home_folder();
  return home.empty() || !lies_in(home, folder);
}

std::unexpected<Error> wrong_folder(const FoundGame& game, const std::string& found) {
  return damaged({.file = game.manifest,
                  .place = fmt::format("game '{}'", game.name),
                  .expected = "the game's folder",
                  .found = found});
}

}  // namespace

void GameCollector::fault(Error error) {
  if (found_.faults.size() < kMostFaults) found_.faults.push_back(std::move(error));
}

PathKind GameCollector::kind_of(const std::string& path) {
  auto kind = known_kind_of_path(path);
  if (kind) return *kind;
  fault(std::move(kind).error());
  return PathKind::missing;
}

bool GameCollector::has_file(const std::string& path) {
  return kind_of(path) == PathKind::file;
}

bool GameCollector::has_folder(const std::string& path) {
  return kind_of(path) == PathKind::folder;
}

bool GameCollector::has_any(const std::string& path) {
  return kind_of(path) != PathKind::missing;
}

bool GameCollector::is_new(const std::string& path) {
  return seen_.insert(canonical_path(path)).second;
}

void GameCollector::add(FoundGame game) {
  if (found_.games.size() >= kMostGames) {
    if (!std::exchange(is_full_, true))
      fault(damaged({.file = game.manifest,
                     .expected = fmt::format("at most {} games", kMostGames),
                     .found = "more; the others are left out"})
                .error());
    return;
  }
  const auto kind = known_kind_of_path(game.folder);
  if (!kind) return fault(kind.error());
  if (*kind != PathKind::folder)
    return fault(
        wrong_folder(game, fmt::format("'{}', which is {}", game.folder,
                                       *kind == PathKind::missing ? "missing" : "no folder"))
            .error());
  game.folder = canonical_path(game.folder);
  if (!may_be_game_s(game.folder))
    return fault(
        wrong_folder(game, fmt::format("'{}', which holds more than a game", game.folder)).error());
  for (std::string& folder : game.beside) folder = canonical_path(folder);
  if (folders_.insert(game.folder).second) found_.games.push_back(std::move(game));
}

bool is_one_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

}  // namespace seekless
