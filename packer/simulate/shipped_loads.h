// Computes what loads cost in the game as shipped: the recorded reads on the unchanged content.
// Verdicts are based on these figures.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/load_cost.h"
#include "packer/drive/profile.h"
#include "packer/simulate/recorded_fit.h"
#include "packer/simulate/replay.h"

namespace seekless {

// The median run of one scenario, in the model.
struct JudgedLoad {
  std::string name;
  uint32_t runs = 0;
  double as_shipped_s = 0;  // drive time of the recorded reads on the unchanged content
  double bound_s = 0;       // drive time of the same bytes in one sweep; no order is faster
  // Drive time with the method that is judged; none if unknown or not asked for.
  std::optional<double> after_s;
  // Time of the recorded load without waits for a drive; none if unknown.
  std::optional<double> besides_s;
  bool is_slowed = true;  // the recorder slowed the program, so `besides_s` is too long
};

// Names what is missing to compute the figures: the lengths of reads, any recordings, the content
// that they read, or space for it on the drive.
enum class Lacking : uint8_t { nothing, sizes, recordings, content, room };

// Returns each scenario's median run. `drive` is the index of one of the replay's drives.
std::vector<JudgedLoad> as_shipped(const BaselineReplay& replay, size_t drive = 0);

// The loads as shipped, and what is missing to compute them.
struct ShippedLoads {
  std::vector<JudgedLoad> loads;
  std::map<std::string, LoadCost> costs;  // costs of the same median runs
  Lacking lacking = Lacking::nothing;
  RecordedFit fit;
};
ShippedLoads shipped_loads(const BaselineReplay& replay);

// Returns the sources of the content that the runs read, each once.
std::vector<uint32_t> sources_read(const KeptRuns& runs);

// Returns the loads of runs that were kept, with files where they lie. For players, this is what
// loads cost as shipped.
ShippedLoads shipped_loads(const KeptRuns& runs, const Content& content, const DriveProfile& drive,
                           const LyingFiles& lying);

// Makes a replay of traces on the unchanged content, one file after the other from the drive's
// start on; returns null if it doesn't fit the drive. The code that makes the profile passes the
// traces to this replay. `content` must outlive it.
std::unique_ptr<BaselineReplay> replay_as_shipped(const Content& content,
                                                  const DriveProfile& drive);

// Keyed by scenario; values as JudgedLoad::after_s.
using SecondsAfter = std::map<std::string, double>;
void set_after(std::vector<JudgedLoad>& loads, const SecondsAfter& after);

}  // namespace seekless
