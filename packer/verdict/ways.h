// Orders the ways in which a game can be made to load faster, and says which is the best here.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace seekless {

// The ways are sorted by how much they change: first those that don't touch the game's files. If
// two ways are equally fast, the earlier one is better.
enum class LoadWay : uint8_t {
  nothing,   // the game as it is
  play,      // fetched ahead of the game, from the files as they lie
  laid_out,  // the same as `play`, from copies in load order
  warm,      // read into memory before the game starts
  place,     // whole files moved next to each other
  overlay,   // an additional archive, which wins over the others
  repack,    // archives rewritten in load order
  packs,     // packs, for engines that read them
};

struct AdvisedWay {
  LoadWay way = LoadWay::nothing;
  // The seconds for which the drive is busy in a load, the mean of all scenarios; none if unknown.
  std::optional<double> seconds;
  uint64_t room_bytes = 0;           // room on the disk that it takes permanently
  std::string changes;               // what it changes: "nothing", "no file of the game"
  std::string undo;                  // how to undo it; empty if there is nothing to undo
  std::vector<std::string> command;  // the words after "seekless"; empty: none
  std::string tail;                  // text after the words, unquoted: " -- GAME"
  std::string why_not;               // why it can't be used here; empty if it can
  bool needs_recording = false;      // a missing recording is the only reason in `why_not`
  bool is_for_some_engines = false;  // it isn't known whether the game's engine supports it
};

// Sorts the ways: first those that can be used, by seconds; then those that only some engines
// support; then those that can't be used. Ways that differ by less than kAlikeShare count as
// equally fast.
inline constexpr double kAlikeShare = 0.03;
std::vector<AdvisedWay> best_first(std::vector<AdvisedWay> ways);

// Returns the first of the sorted ways if it saves enough to be noticed, and null otherwise.
const AdvisedWay* best_of(const std::vector<AdvisedWay>& sorted);

// Returns the way's name in JSON and in messages.
std::string name_of(LoadWay way);

}  // namespace seekless
