// Loads what is known about a game before it runs, and saves what was learned from the run, however
// its reads are observed.
#pragma once

#include <string>
#include <utility>

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_settings.h"
#include "packer/host/block_device.h"
#include "packer/serve/foresight.h"
#include "packer/serve/watched_end.h"

namespace seekless {

// Returns what is known about the game. If the state can't be read, it is empty, and `warning` says
// why.
Learned known_of(const PlaySettings& settings, std::string& warning);

class PlayLearning {
 public:
  // `settings` must outlive this object.
  static Result<PlayLearning> open(const PlaySettings& settings);

  // Loads what is known. `warning` says what is wrong with the state, if anything.
  Learned load(std::string& warning);
  // Returns the prediction settings for the drive of the game's folder.
  ForeseeOptions options_for(const Learned& learned, const FoundDrive& drive) const;
  // Saves what was learned. Nothing is written to the disk earlier, because that would delay the
  // game.
  Result<void> save(Learned& learned);

  GameState& state() { return state_; }
  const GameState& state() const { return state_; }

 private:
  PlayLearning(const PlaySettings& settings, GameState state)
      : settings_(&settings), state_(std::move(state)) {}

  const PlaySettings* settings_;
  GameState state_;
  std::string known_;  // what was known before a run that doesn't hold the lock
};

PlayedReads played_reads(const ForeseenFigures& figures);
// Adds up the times of this run's loads that were known before: the earlier times, and the present
// ones.
void tell_what_it_brought(const Learned& learned, const std::vector<SeenLoad>& loads,
                          PlayedRun& run);

// Saves what was learned from watching, and prints a summary.
Result<void> keep_watched(PlayLearning& learning, WatchedEnd& end, PlayedRun& run);

}  // namespace seekless
