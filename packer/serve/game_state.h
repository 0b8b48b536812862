// Where what was learned of a game is kept: a folder of its own, with a file of what runs taught,
// and the shadow. Removing the folder undoes everything.
#pragma once

#include <optional>
#include <string>

#include "packer/foresee/learned.h"
#include "packer/host/folder_lock.h"

namespace seekless {

class GameState {
 public:
  // `place` is the folder that holds those of all games, by default this user's; `game` the game's
  // own.
  static Result<GameState> open(const std::string& place, const std::string& game);

  const std::string& folder() const { return folder_; }
  std::string shadow_path(const std::string& file) const { return folder_ + "/" + file; }
  // What isn't sound, or not there, is as if nothing had been learned; `warning` says why.
  Learned load(std::string& warning) const;
  Result<void> save(const Learned& learned) const;
  Result<void> forget() const;
  // Keeps a second game on this folder out; fails if there is one.
  Result<void> lock();

 private:
  explicit GameState(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
  std::optional<FolderLock> lock_;
};

}  // namespace seekless
