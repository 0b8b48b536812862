// Knows where files really lie on their disk, piece by piece, and computes what recorded loads cost
// with them there.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/drive/file_finder.h"
#include "packer/drive/profile.h"
#include "packer/drive/read_ahead.h"
#include "packer/host/extents.h"
#include "packer/place/load_order.h"
#include "packer/simulate/run_on_pieces.h"

namespace seekless {

// Returns the files' present places. A file that links lead to has a place once, and only files on
// the common device have one; warns of others.
Result<FilePlaces> places_on_disk(const Content& content,
                                  const std::vector<ScenarioFiles>& scenarios, uint64_t device,
                                  const std::function<void(std::string_view)>& warn);

class PlacedLoads {
 public:
  PlacedLoads(const KeptRuns& runs, const DriveProfile& drive, const ReadAhead& read_ahead,
              FolderPlaces folders)
      : runs_(runs), drive_(drive), read_ahead_(read_ahead), folders_(std::move(folders)) {}

  // Returns how long the drive is busy in the scenario's median run. Fails if a piece lies past the
  // drive's end.
  Result<double> seconds(const ScenarioFiles& scenario, const FilePlaces& places) const;

 private:
  Result<double> seconds_of_run(const ContentRun& run, const FilePlaces& places) const;

  const KeptRuns& runs_;
  const DriveProfile& drive_;
  const ReadAhead& read_ahead_;
  FolderPlaces folders_;  // folders are never moved
};

// Places the same files whole and one after the other from `position_bytes` on, in whole blocks.
void place_one_after_the_other(std::span<const uint32_t> files, uint64_t position_bytes,
                               FilePlaces& places);

}  // namespace seekless
