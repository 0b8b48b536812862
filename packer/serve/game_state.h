// Where what was learned of a game is kept: a folder of its own, with a file of what runs taught,
// the shadow, and a note of which game it is. Removing the folder undoes everything. It is this
// user's alone: what the game loads comes from there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "packer/foresee/learned.h"
#include "packer/host/folder_lock.h"

namespace seekless {

// Which game it is, for whoever asks what is kept.
struct PlayedGame {
  std::string folder;  // absolute
  std::string name;    // what is learned is kept by this name; empty: by the folder

  const std::string& key() const { return name.empty() ? folder : name; }
};

class GameState {
 public:
  // `place` is the folder that holds those of all games, by default this user's. Makes nothing.
  // Error: there is no place, or what is there may be others'.
  static Result<GameState> open(const std::string& place, const PlayedGame& game);
  // One that is there, by its own folder.
  static Result<GameState> open_there(const std::string& folder);

  const std::string& folder() const { return folder_; }
  bool is_there() const;
  std::string shadow_path(const std::string& file) const { return folder_ + "/" + file; }
  // What isn't sound, or not there, is as if nothing had been learned; `warning` says why. Nor is
  // there a shadow then that others may have written.
  Learned load(std::string& warning) const;
  // As far as a file of such a size goes: what was run least is left out of `learned`, too.
  Result<void> save(Learned& learned) const;
  // Needs lock(), if anything is there.
  Result<void> forget() const;
  // Keeps a second game on this folder out, which is made if it isn't there; fails if there is one.
  // What killed runs left behind is cleared away.
  Result<void> lock();
  // That this game is played now. Needs lock().
  Result<void> note_played(const PlayedGame& game) const;

 private:
  explicit GameState(std::string folder) : folder_(std::move(folder)) {}
  Result<void> clear_leftovers() const;

  std::string folder_;
  std::optional<FolderLock> lock_;
};

// What is kept of a game. `size_bytes` is that of its files, and `used_s` when it was played last,
// in seconds since 1970.
struct KeptGame {
  std::string state;  // the state's folder
  PlayedGame game;    // empty: it isn't known, as of states of before 2026-11-28
  uint64_t size_bytes = 0;
  int64_t used_s = 0;
  bool is_gone = false;  // the game's folder
};

// Of the state in `folder`; nothing if that is none.
std::optional<KeptGame> kept_game(const std::string& folder);

}  // namespace seekless
