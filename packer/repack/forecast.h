// Forecasts the gain of repacking archives, before anything is written. Recorded reads are replayed
// on a drive, on the present archives and on the planned ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/drive/load_cost.h"
#include "packer/drive/profile.h"
#include "packer/profile/profile.h"
#include "packer/repack/archive_set.h"
#include "packer/repack/entry_order.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/disk_map.h"
#include "packer/simulate/lying_files.h"
#include "packer/simulate/moved_reads.h"
#include "packer/simulate/recorded_fit.h"
#include "packer/simulate/shipped_loads.h"
#include "packer/simulate/simulated.h"

namespace seekless {

inline constexpr double kLeastGain = 1.05;  // speed-up factor; less isn't worth the work

struct ForecastRun {
  std::string trace;
  double before_s = 0;
  double after_s = 0;
};

struct ForecastScenario {
  std::string name;
  uint32_t runs = 0;
  // True if each run is read from archives whose order was made without that run. If there was only
  // one run, the order is judged by the run that it was made from.
  bool is_held_out = false;
  LoadFigures before;  // figures of the median run
  LoadFigures after;
  std::vector<ForecastRun> each;
  // Figures of the median run from archives that serve only this scenario. Set if there are several
  // scenarios.
  std::optional<LoadFigures> alone = {};
  double swept_after_s = 0;  // seconds to sweep the bytes of `after` before the game asks for them
};

// Holds the time that all loads together take after repacking, if `storing` decides which entries
// are stored.
struct TriedStoring {
  Storing storing;
  double disk_s = 0;
  double inflate_s = 0;
};

// Compares loads of several scenarios from archives in one order for all, from archives in separate
// orders, and from the one order when it is swept.
struct OneOrder {
  size_t loads = 0;
  double together_s = 0;
  double apart_s = 0;
  double swept_s = 0;
};

struct RepackForecast {
  std::string drive;
  std::string read_ahead;
  std::vector<ForecastScenario> scenarios;  // sorted by name
  std::vector<std::string> gone;            // recorded paths that no archive has now; sorted
  RecordedFit fit;                          // how well the recordings fit the archives as they are
  std::vector<JudgedLoad> loads;            // the loads, with their seconds after repacking
  Lacking lacking = Lacking::nothing;
  // Lists the ways of storing that were tried; this forecast's own comes first. Empty if there was
  // only one way.
  std::vector<TriedStoring> tried = {};

  double before_s() const;  // sum over all scenarios, each loaded once
  double after_s() const;
  // Compares the scenarios for which the figures are known, to tell how much slower they are with
  // one order for all.
  std::optional<OneOrder> one_order() const;
};

// Holds the result of one reading of all traces.
struct Recorded {
  const Profile& profile;
  const KeptRuns& runs;
};

// Describes the drive and the system on which the reads are replayed.
struct ForecastDrive {
  DriveProfile profile;
  std::vector<PlaceRule> places;
  SimulationOptions simulation;
  // The files' present positions. Without them, files lie as `places` says, or one after another.
  std::optional<LyingFiles> lying = {};
  // Free room that new archives are written to, in this order. If it isn't enough, they are assumed
  // to lie in one piece where the first of the old ones begins.
  std::vector<Extent> room = {};
  // Also replays each scenario as if it had archives of its own, if there are 2 to 30. This takes
  // as long as all else together.
  bool replays_alone = false;
};

// Tells how the archives will be made.
struct RepackPlan {
  EntryOrderOptions order;
  RewriteOptions rewrite;
  // Archives from plan_repack(); all others stay as they are.
  const std::vector<RepackedArchive>& archives;
  // The entries' order for all recordings, if it is known already, so that it isn't made twice.
  const EntryOrder* order_of_all = nullptr;
};

// Returns where entries will lie if archives are made for this profile.
using PlacesFor = std::function<MovedContent(const Profile&)>;

// Makes a handful of orders and replays each run three times. `added` lists files that will be new,
// so that rules for places can name them.
Result<RepackForecast> forecast_places(const Recorded& recorded, const Content& content,
                                       const ForecastDrive& drive, const PlacesFor& places_for,
                                       std::span<const FileToPlace> added = {});

// Does the same for archives that are rewritten.
Result<RepackForecast> forecast_repack(const Recorded& recorded, const Content& content,
                                       const ForecastDrive& drive, const RepackPlan& plan);

}  // namespace seekless
