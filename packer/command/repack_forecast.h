// What repacking archives is worth, before anything is written: the recorded reads replayed on a
// drive, on the archives as they are and as they would be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "packer/command/drive_options.h"
#include "packer/command/judging.h"
#include "packer/content/content.h"
#include "packer/profile/profile.h"
#include "packer/report/simulation.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/moved_reads.h"

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
};

struct RepackForecast {
  Verdict verdict;
  std::string drive;
  std::string read_ahead;
  std::vector<ForecastScenario> scenarios;  // by name
  std::vector<std::string> gone;            // read when recording, but in no archive; sorted
  std::vector<std::string> past_end;        // archives that recordings read beyond their ends
  std::vector<std::string> notes;           // sentences: what gets slower, and why
};

// Where entries would lie if archives were repacked for what this profile says.
using MakePlaces = std::function<Result<MovedContent>(const Profile&)>;

// What one reading of all traces has told.
struct Recorded {
  const Profile& profile;
  const KeptRuns& runs;
};

// The drive is `chosen`, whatever `drive` names. Takes a handful of plans, and two replays of each
// run.
Result<RepackForecast> forecast_repack(const Recorded& recorded, const Content& content,
                                       const ChosenDrive& chosen, const DriveOptions& drive,
                                       const MakePlaces& make_places);

// A table of at most `columns` characters a line, 80 or more, and the notes.
std::string to_text(const RepackForecast& forecast, size_t columns);
Json to_json(const RepackForecast& forecast);

}  // namespace seekless
