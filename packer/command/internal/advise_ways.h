// Predicts how long a game's loads take by each available way, for 'seekless advise'. It changes
// nothing, but reserves free space for a moment to see where it lies.
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

// Describes which archive entries the loads read. The referenced objects must outlive it.
struct LoadsOfArchives {
  const Content& content;
  const Profile& profile;
  const KeptRuns& runs;
};

// Describes the game's known loads. The referenced objects must outlive it.
struct AdvisedGame {
  const std::vector<std::string>& paths;   // canonical folders and files of the game
  const std::vector<std::string>& beside;  // other folders that the game reads
  const Content& content;
  const KeptRuns& runs;
  bool is_played;  // the loads are known from `play`, not from recordings
  const Result<LoadsOfArchives>& archives;
  const std::string& state;  // where `play` stores what it learned; empty: the default folder
  bool tries_out;            // see AskedAdvice
  RepackArguments& repack;   // as for repack --in-place --dry-run
  const ChosenDrive& drive;
  const LyingFiles& lying;
  const std::vector<JudgedLoad>& loads;  // as shipped

  std::string folder() const;  // the folder on whose file system everything lies
};

// Holds what each of the game's loads reads, one scenario per load.
struct AdvisedLoads {
  explicit AdvisedLoads(const AdvisedGame& advised);

  const AdvisedGame& game;
  std::string folder;  // game.folder()
  std::vector<ScenarioFiles> scenarios;
  std::vector<ForeseenLoad> foreseen;

  // Returns the mean over all scenarios, of which each is given by its number.
  double mean(const std::function<std::optional<double>(size_t)>& seconds_of) const;
  std::optional<double> seconds_with(const FoundAndRead& of) const;
  std::optional<double> seconds_played(const PlayedLoad& load) const;
  // Returns the mean seconds of all loads if `play` reads ahead, without the time to read its own
  // state.
  double learned_s() const;
  AdvisedWay play(double seconds, std::string why_not) const;
  // Appends the game's folder, and those beside it.
  std::vector<std::string> with_folders(std::vector<std::string> words) const;
  // Appends the recordings and their --map options, as they were given.
  std::vector<std::string> with_recordings(std::vector<std::string> words) const;
  // If the loads are known only from `play`, notes that a usable way still needs a recording.
  void note_needed_recording(AdvisedWay& way) const;
};

// Appends the ways that only some operating systems have: `play`, its copies, and `place`.
void add_ways_of_system(const AdvisedLoads& loads, std::vector<AdvisedWay>& ways);
// Returns why this user can't write files into the folder; empty if possible. It may create an
// unnamed file to try it.
std::string why_not_written(const std::string& folder, bool tries_out);

// Returns all ways, sorted by best_first().
std::vector<AdvisedWay> advised_ways(const AdvisedGame& game);

}  // namespace seekless
