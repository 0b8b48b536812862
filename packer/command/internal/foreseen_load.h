// Tells what a recorded load reads, for the ways that read it before the game does: in which order
// `warm` and `play` find its files, and what they read of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/drive/sweep.h"
#include "packer/foresee/play_forecast.h"
#include "packer/host/extents.h"
#include "packer/place/load_order.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/lying_files.h"

namespace seekless {

// Holds files in the order in which they are found, and reads of them. SweepRead::file is an index
// in `files`.
struct FoundAndRead {
  std::vector<FileExtents> files;
  std::vector<SweepRead> reads;
};

// Holds what a load reads at once, for ways that read ahead of the game.
struct ForeseenLoad {
  FoundAndRead by_warm;
  PlayedLoad by_play;
  uint64_t copied_bytes = 0;
};

// The content's runs, the drive on which its files lie, and where.
struct LyingRuns {
  const KeptRuns& runs;
  const DriveProfile& drive;
  const LyingFiles& lying;
  std::string folder;               // the game's
  std::span<const Source> sources;  // the content's files
  bool is_played;                   // the runs are what `play` has seen, not recordings
};

ForeseenLoad foreseen_load(const LyingRuns& of, const ScenarioFiles& scenario);

// Returns room in one piece, for room whose place isn't known.
inline std::vector<Extent> any_room(uint64_t bytes) {
  return {{0, 0, bytes}};
}

}  // namespace seekless
