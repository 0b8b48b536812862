// Computes what `warm` and `play` read for a recorded load before the game does: the files, in the
// order in which they open them, and the ranges.
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

// Holds files in the order in which they are opened, and reads from them. SweepRead::file is an
// index in `files`.
struct FoundAndRead {
  std::vector<FileExtents> files;
  std::vector<SweepRead> reads;
};

// Holds all reads of a load, for ways that read ahead of the game.
struct ForeseenLoad {
  FoundAndRead by_warm;
  PlayedLoad by_play;
  uint64_t copied_bytes = 0;
};

// Holds the content's runs, the files' drive, and their positions on it.
struct LyingRuns {
  const KeptRuns& runs;
  const DriveProfile& drive;
  const LyingFiles& lying;
  std::string folder;               // the game's
  std::span<const Source> sources;  // the content's files
  bool is_played;                   // the runs come from `play`, not from recordings
};

ForeseenLoad foreseen_load(const LyingRuns& of, const ScenarioFiles& scenario);

// Returns contiguous space, for use if the real position isn't known.
inline std::vector<Extent> any_room(uint64_t bytes) {
  return {{0, 0, bytes}};
}

}  // namespace seekless
