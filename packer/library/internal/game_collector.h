// Collects games while launchers' files are read: checks each game's folder, lists each once, and
// notes a faulty file instead of failing.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "packer/host/files.h"
#include "packer/library/found_game.h"

namespace seekless {

// No real library has more games, but a forged manifest may list any number.
inline constexpr size_t kMostGames = 20'000;

class GameCollector {
 public:
  explicit GameCollector(size_t most_games = kMostGames) : most_games_(most_games) {}

  // Checks that `game.folder` belongs to one game only, makes it canonical, and adds the game.
  // Ignores a folder that another game already has. A missing or shared folder is a fault. A shared
  // folder in `game.beside` is a fault too; the game is then added without it. Missing folders in
  // `game.beside` are dropped.
  void add(FoundGame game);
  void fault(Error error);
  // These return what a path leads to. A path that can't be examined is a fault, and counts as
  // missing.
  bool has_file(const std::string& path);
  bool has_folder(const std::string& path);
  bool has_any(const std::string& path);
  // Returns the value, or notes why there is none.
  template <typename T>
  T* value_or_fault(Result<T>& result) {
    if (result) return &*result;
    fault(std::move(result).error());
    return nullptr;
  }
  // Returns true the first time that a file or folder is given; its path may lead through links.
  bool is_new(const std::string& path);

  FoundGames take() && { return std::move(found_); }

 private:
  PathKind kind_of(const std::string& path);
  // Makes the game's folder canonical, or notes why it isn't a game's.
  bool takes(std::string& folder, const FoundGame& of);

  size_t most_games_;
  FoundGames found_;
  std::set<std::string> folders_;
  bool is_full_ = false;
  std::set<std::string> seen_;
};

// Limits for reading launchers' files, which are far smaller. The first limit is for files that are
// parsed into a tree, which takes twenty times their size in memory.
inline constexpr uint64_t kMostManifestBytes = uint64_t{1} << 20;
inline constexpr uint64_t kMostCatalogueBytes = uint64_t{16} << 20;

// Returns whether a name from a manifest is one component of a path: neither empty nor "..", and
// without slashes.
bool is_one_name(std::string_view name);

}  // namespace seekless
