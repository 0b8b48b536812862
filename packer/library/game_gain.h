// Says what would make a game load faster, judging by its disk, its content and its known loads,
// and what to do next. Pure. Only a recorded or played load tells how many seconds it wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/library/found_game.h"
#include "packer/library/game_content.h"

namespace seekless {

struct GameDisk {
  std::optional<bool> is_rotational = {};  // nothing if unknown
  std::string description = {};
};

// Holds what earlier runs left.
struct GameKnown {
  std::vector<std::string> recordings = {};  // paths of traces
  uint64_t loads = 0;                        // loads that `play` has learned
  uint64_t kept_bytes = 0;                   // size of what `play` keeps
  bool is_laid_out = false;
  double first_waited_s = 0;  // seconds that known loads waited for the disk at first
  double last_waited_s = 0;   // and last
};

enum class GameWay {
  none,     // nothing to gain
  play,     // start the game by `play`
  lay_out,  // it is played so; copying what its loads read would gain more
  playing,  // it is played so, and all is done
};

// Returns the way's name in JSON: "lay-out".
std::string_view name_of(GameWay way);

struct GameGain {
  GameWay way = GameWay::none;
  std::string why = {};      // a phrase, without a full stop
  std::string where = {};    // where the command belongs: "in a terminal"
  std::string command = {};  // to copy; empty if there is nothing to do
  // True if the command ends with GAME, in whose place people put the program that isn't known.
  bool needs_program = false;
};

// Returns the seconds that a hard disk needs to read all of the content, a jump for each file. No
// load waits longer.
double seconds_for_all(const GameContent& content);

// `can_lay_out` is true if `seekless play --lay-out` is there on this system.
GameGain gain_of(const FoundGame& game, const GameDisk& disk, const GameContent& content,
                 const GameKnown& known, bool can_lay_out);

// Returns the command that compares all ways by the game's recordings; empty if there are none.
std::string compare_command(const FoundGame& game, const GameKnown& known);

// Returns the command with the program's path in place of its name, for where the name isn't found.
std::string with_program(const std::string& command, const std::string& program);

// Returns the kind of content that has most bytes, for people: "zips", "loose files", "Valve's
// VPK".
std::string main_content(const GameContent& content);

}  // namespace seekless
