// Converts what `play` has learned about a game to runs of its loads, so that the same figures can
// be computed as for recordings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/foresee/learned.h"
#include "packer/profile/profile.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/shipped_loads.h"

namespace seekless {

// Returns the size of each known file; 0 if it no longer exists. `folder` is the game's.
std::vector<uint64_t> sizes_of_files(const Learned& learned, const std::string& folder);

struct PlayedLoads {
  std::unique_ptr<const Content> content;  // the files that exist
  std::unique_ptr<KeptRuns> runs;          // one run for each scenario
};

// `folder` is the game's. Files that are gone are left out.
Result<PlayedLoads> played_loads(const Learned& learned, const std::string& folder);

// Returns which assets of the content the loads read, including archive entries. `runs`, which must
// be for `content`, receives a run for each scenario.
Result<Profile> played_profile(const Learned& learned, const std::string& folder,
                               const Content& content, KeptRuns& runs);

// Returns how long the loads take as shipped, with files at their real positions, by scenario.
// Empty if the positions are unknown, or if the drive is solid state.
Result<SecondsAfter> seconds_as_shipped(const Learned& learned, const std::string& folder);

}  // namespace seekless
