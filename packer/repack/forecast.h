// What repacking archives is worth, before anything is written: the recorded reads replayed on a
// drive, on the archives as they are and as they would be.
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
#include "packer/simulate/moved_reads.h"
#include "packer/simulate/recorded_fit.h"
#include "packer/simulate/shipped_loads.h"
#include "packer/simulate/simulated.h"

namespace seekless {

inline constexpr double kLeastGain = 1.05;  // in times faster; less isn't worth the work

struct ForecastRun {
  std::string trace;
  double before_s = 0;
  double after_s = 0;
};

struct ForecastScenario {
  std::string name;
  uint32_t runs = 0;
  // Each of its runs is read from archives whose order was made without that run. Else there was
  // only one, and the order is judged by what it was made from.
  bool is_held_out = false;
  LoadFigures before;  // of the median run
  LoadFigures after;
  std::vector<ForecastRun> each;
  // With several scenarios: of the median run, from archives that serve this scenario alone.
  std::optional<LoadFigures> alone = {};
  double swept_after_s = 0;  // of `after`, read as it lies before the game asks for it
};

// What all loads together take afterwards, if such entries are stored.
struct TriedStoring {
  Storing storing;
  double disk_s = 0;
  double inflate_s = 0;
};

// Loads of several scenarios: from archives in one order, in an order for each, and in that one
// order, read as it lies.
struct OneOrder {
  size_t loads = 0;
  double together_s = 0;
  double apart_s = 0;
  double swept_s = 0;
};

struct RepackForecast {
  std::string drive;
  std::string read_ahead;
  std::vector<ForecastScenario> scenarios;  // by name
  std::vector<std::string> gone;            // read when recording, but in no archive; sorted
  RecordedFit fit;                          // of the recordings to the archives as they are
  std::vector<JudgedLoad> loads;            // with what they take afterwards
  Lacking lacking = Lacking::nothing;
  // If it was a question which entries to store: first what this forecast is of, then what else
  // was tried.
  std::vector<TriedStoring> tried = {};

  double before_s() const;  // of all scenarios, each loaded once
  double after_s() const;
  // Of the scenarios of which it is known: what one order for all costs them.
  std::optional<OneOrder> one_order() const;
};

// What one reading of all traces has told.
struct Recorded {
  const Profile& profile;
  const KeptRuns& runs;
};

// What the reads are replayed on.
struct ForecastDrive {
  DriveProfile profile;
  std::vector<PlaceRule> places;
  SimulationOptions simulation;
};

// How the archives are to be made.
struct RepackPlan {
  EntryOrderOptions order;
  RewriteOptions rewrite;
  const std::vector<RepackedArchive>& archives;  // of plan_repack(): the others stay as they are
};

// Where entries will lie if archives are made for what a profile says.
using PlacesFor = std::function<MovedContent(const Profile&)>;

// Takes a handful of orders, and three replays of each run. `added`: of the files that there will
// be more, for places that are named.
Result<RepackForecast> forecast_places(const Recorded& recorded, const Content& content,
                                       const ForecastDrive& drive, const PlacesFor& places_for,
                                       std::span<const FileToPlace> added = {});

// The same for archives that are rewritten.
Result<RepackForecast> forecast_repack(const Recorded& recorded, const Content& content,
                                       const ForecastDrive& drive, const RepackPlan& plan);

}  // namespace seekless
