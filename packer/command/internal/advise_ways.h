// Forecasts what a game's loads take by each way that there is, for 'seekless advise'. Nothing is
// changed: where free room lies is seen by reserving it for a moment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "packer/command/internal/foreseen_load.h"
#include "packer/command/internal/repack_options.h"
#include "packer/content/content.h"
#include "packer/place/load_order.h"
#include "packer/profile/profile.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/lying_files.h"
#include "packer/simulate/shipped_loads.h"
#include "packer/verdict/judging.h"
#include "packer/verdict/ways.h"

namespace seekless {

// Holds what loads read of the entries of the game's archives. All of it must outlive its users.
struct LoadsOfArchives {
  const Content& content;
  const Profile& profile;
  const KeptRuns& runs;
};

// Holds the game's loads, as far as they are known. All of it must outlive its users.
struct AdvisedGame {
  const std::vector<std::string>& paths;   // canonical folders and files of the game
  const std::vector<std::string>& beside;  // other folders that it reads
  const Content& content;
  const KeptRuns& runs;
  bool is_played;  // the loads are known from `play`, not from recordings
  const Result<LoadsOfArchives>& archives;
  const std::string& state;  // where `play` keeps what it learned; empty: the usual place
  bool tries_out;            // as AskedAdvice has it
  RepackArguments& repack;   // as for repack --in-place --dry-run
  const ChosenDrive& drive;
  const LyingFiles& lying;
  const std::vector<JudgedLoad>& loads;  // as shipped

  std::string folder() const;  // the folder on whose file system everything lies
};

// Holds what each of the game's loads reads, a scenario each.
struct AdvisedLoads {
  explicit AdvisedLoads(const AdvisedGame& advised);

  const AdvisedGame& game;
  std::string folder;  // game.folder()
  std::vector<ScenarioFiles> scenarios;
  std::vector<ForeseenLoad> foreseen;

  // Returns the mean of all scenarios, given by their numbers.
  double mean(const std::function<std::optional<double>(size_t)>& seconds_of) const;
  std::optional<double> seconds_with(const FoundAndRead& of) const;
  std::optional<double> seconds_played(const PlayedLoad& load) const;
  // Returns the mean seconds of all loads if `play` reads ahead, without its reads of its own
  // state.
  double learned_s() const;
  AdvisedWay play(double seconds, std::string why_not) const;
  // Appends the game's folder, and those beside it.
  std::vector<std::string> with_folders(std::vector<std::string> words) const;
  // Appends the recordings and what maps them, as they were given.
  std::vector<std::string> with_recordings(std::vector<std::string> words) const;
  // Notes that a way that could be used still needs a recording, if there are none, but only what
  // `play` has learned.
  void note_needed_recording(AdvisedWay& way) const;
};

// Appends the ways that only some systems have: `play`, its copies, and `place`.
void add_ways_of_system(const AdvisedLoads& loads, std::vector<AdvisedWay>& ways);
// Returns why this user can't write files into the folder; empty if that is possible. It may try a
// file without a name.
std::string why_not_written(const std::string& folder, bool tries_out);

// Returns all ways, sorted by best_first().
std::vector<AdvisedWay> advised_ways(const AdvisedGame& game);

}  // namespace seekless
