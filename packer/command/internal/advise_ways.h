// Forecasts what a game's loads take by each way that there is, for 'seekless advise'. Nothing is
// changed: where free room lies is seen by reserving it for a moment.
#pragma once

#include <string>
#include <vector>

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

// Holds what is known of the game's loads. All of it must outlive its users.
struct AdvisedGame {
  const std::vector<std::string>& paths;  // canonical folders and files of the game
  const Content& content;
  const KeptRuns& runs;
  const Profile* profile;   // null: the loads are known from `play`, not from recordings
  RepackArguments& repack;  // as for repack --in-place --dry-run
  const ChosenDrive& drive;
  const LyingFiles& lying;
  const std::vector<JudgedLoad>& loads;  // as shipped

  std::string folder() const;  // the folder on whose file system everything lies
};

// Returns all ways, sorted by best_first().
std::vector<AdvisedWay> advised_ways(const AdvisedGame& game);

}  // namespace seekless
