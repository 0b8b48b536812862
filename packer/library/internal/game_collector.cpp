#include "packer/library/internal/game_collector.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "packer/content/game_folder.h"

namespace seekless {
namespace {

constexpr size_t kMostFaults = 100;

// Returns why the folder isn't served as a game's; empty if it may be.
std::string why_no_game_s(const std::string& folder, PathKind kind) {
  if (kind == PathKind::missing) return fmt::format("'{}', which is missing", folder);
  if (kind != PathKind::folder) return fmt::format("'{}', which is no folder", folder);
  if (const std::string real = canonical_path(folder); !may_be_game_s(real))
    return fmt::format("'{}', which holds more than a game", real);
  return "";
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

bool GameCollector::takes(std::string& folder, const FoundGame& of) {
  const auto kind = known_kind_of_path(folder);
  if (!kind) {
    fault(kind.error());
    return false;
  }
  if (std::string why = why_no_game_s(folder, *kind); !why.empty()) {
    fault(damaged({.file = of.manifest,
                   .place = fmt::format("game '{}'", of.name),
                   .expected = "the game's folder",
                   .found = std::move(why)})
              .error());
    return false;
  }
  folder = canonical_path(folder);
  return true;
}

void GameCollector::add(FoundGame game) {
  if (!takes(game.folder, game)) return;
  std::erase_if(game.beside, [&](std::string& folder) {
    // A missing folder isn't a fault: Wine makes a game's prefix when the game first starts.
    return kind_of(folder) == PathKind::missing || !takes(folder, game);
  });
  if (!folders_.insert(game.folder).second) return;
  if (found_.games.size() < most_games_) {
    found_.games.push_back(std::move(game));
    return;
  }
  // This fault is reported even if there are many others.
  if (!std::exchange(is_full_, true))
    found_.faults.push_back(damaged({.file = game.manifest,
                                     .expected = fmt::format("at most {} games", most_games_),
                                     .found = "more; the others are left out"})
                                .error());
}

bool is_one_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

}  // namespace seekless
