// Holds where files really lie on their disk, piece by piece, and computes what recorded loads cost
// at these or other places.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "packer/drive/file_finder.h"
#include "packer/drive/profile.h"
#include "packer/drive/read_ahead.h"
#include "packer/host/extents.h"
#include "packer/place/load_order.h"
#include "packer/simulate/lying_files.h"

namespace seekless {

class PlacedLoads {
 public:
  PlacedLoads(const KeptRuns& runs, const DriveProfile& drive, const ReadAhead& read_ahead,
              FolderPlaces folders)
      : runs_(runs), drive_(drive), read_ahead_(read_ahead), folders_(std::move(folders)) {}

  // Returns the seconds for which the drive is busy in the scenario's median run.
  double seconds(const ScenarioFiles& scenario, const FilePlaces& places) const;

 private:
  const KeptRuns& runs_;
  const DriveProfile& drive_;
  const ReadAhead& read_ahead_;
  FolderPlaces folders_;  // folders are never moved
};

// Places the same files whole and one after the other from `position_bytes` on, in whole blocks.
void place_one_after_the_other(std::span<const uint32_t> files, uint64_t position_bytes,
                               FilePlaces& places);

inline constexpr uint64_t kBlockBytes = 4096;
inline uint64_t whole_blocks(uint64_t bytes) {
  return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

}  // namespace seekless
