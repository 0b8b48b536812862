// Stores what was learned about a game in a separate folder: a file of what runs taught, the
// shadow, and a note of which game it is. Removing the folder undoes everything. Only this user may
// write to it, because the game loads data from there.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "packer/foresee/learned.h"
#include "packer/host/folder_lock.h"

namespace seekless {

// Identifies the game in the list of what is kept.
struct PlayedGame {
  std::string folder;     // an absolute path
  std::string name;       // key of what is learned; empty: the path is the key
  std::string file = {};  // the file in `folder` that is played, such as a disc image; empty: all

  const std::string& path() const { return file.empty() ? folder : file; }
  const std::string& key() const { return name.empty() ? path() : name; }
};

class GameState {
 public:
  // `place` is the folder that holds all games' states, by default this user's. Creates nothing.
  // Fails if there is no place, or if others may have written what is there.
  static Result<GameState> open(const std::string& place, const PlayedGame& game);
  // Opens an existing state by its own folder.
  static Result<GameState> open_there(const std::string& folder);

  const std::string& folder() const { return folder_; }
  bool is_there() const;
  std::string shadow_path(const std::string& file) const { return folder_ + "/" + file; }
  // Loads what was learned. If it is damaged, returns an empty result, and `warning` says why; if
  // it is missing or empty, nothing is known yet. A shadow that others may have written isn't used
  // either.
  Learned load(std::string& warning) const;
  // Saves what was learned, up to a maximum file size: drops what was run least, also from
  // `learned`.
  Result<void> save(Learned& learned) const;
  // Removes the state. Needs lock(), if anything is there.
  Result<void> forget() const;
  // Locks the state, so that a second game can't use the folder; creates it if needed. Ends a
  // process that lays it out, and waits for its end, but not for longer than `most`. Fails if a
  // game is running on it. Clears what killed runs left behind.
  Result<void> lock(std::chrono::milliseconds most = std::chrono::seconds(3));
  // Does the same before a game starts, which doesn't wait: a state that isn't there isn't created,
  // and one that is still being laid out is only read. lock() is called again after the game.
  Result<void> lock_at_start();
  bool is_locked() const { return lock_.has_value(); }
  // Notes that this game is played now. Needs lock().
  Result<void> note_played(const PlayedGame& game) const;
  // Notes that the game crashed at once with the hooks in it. Needs lock().
  Result<void> note_crash() const;
  Result<void> forget_crash() const;
  // Returns true if such a crash is noted.
  bool has_crashed() const;
  // Notes a way that would gain more than `play`, to tell the user; an empty text notes that none
  // is known. Needs lock().
  Result<void> note_advice(std::string_view text) const;
  // Returns true if anything was ever noted.
  bool has_advice() const;
  // Returns the text the first time, and then an empty one.
  std::string take_advice() const;
  // Returns true if it is noted that this is the state of `game`.
  bool is_noted(const PlayedGame& game) const;

 private:
  explicit GameState(std::string folder) : folder_(std::move(folder)) {}
  Result<void> clear_leftovers() const;

  std::string folder_;
  std::optional<FolderLock> lock_;
};

// A stored state. `size_bytes` is that of its files, and `used_s` when the game was last played, in
// seconds since 1970.
struct KeptGame {
  std::string state;  // the state's folder
  PlayedGame game;    // empty: unknown, as in states from before 2026-11-28
  uint64_t size_bytes = 0;
  int64_t used_s = 0;
  bool is_gone = false;  // the game's folder no longer exists
};

// Describes the state in `folder`; returns nothing if it is none.
std::optional<KeptGame> kept_game(const std::string& folder);

}  // namespace seekless
