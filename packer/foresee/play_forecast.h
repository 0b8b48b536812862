// Predicts how long a drive would be busy with a load that `play` reads ahead: names in their
// order, then pieces of the originals, or copies. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/drive/file_finder.h"
#include "packer/drive/profile.h"
#include "packer/foresee/fetch_plan.h"
#include "packer/host/extents.h"

namespace seekless {

// In a served folder, the system reads this far ahead. Data that was only read ahead is learned as
// if the game needed it, and fetched from then on. In an archive of small entries, that can exceed
// the entries themselves. The originals' own read-ahead goes further.
inline constexpr uint64_t kServedReadAheadBytes = uint64_t{32} << 10;

// Describes a load of a game in `folder`. Files are given by their index in the forecast.
struct PlayedLoad {
  std::string folder;
  std::vector<uint32_t> found;     // the files that it looks up
  std::vector<FetchChunk> chunks;  // in their order; chunks of kShadowFile lie in `copies`
  std::vector<Extent> copies = {};
  uint64_t copies_device = 0;
};

// Returns the busy seconds if nothing is in memory; each device is a separate drive. Files and
// folders without known places cost nothing. Fails if one lies past the drive's end.
Result<double> forecast_play(const DriveProfile& drive, std::span<const FileExtents> files,
                             const FolderPlaces& folders, const PlayedLoad& load);

}  // namespace seekless
