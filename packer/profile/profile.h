// Defines profiles: which assets each scenario needs, in which order, and in which of its runs. A
// profile is made from traces and content. It is written as JSON (schemas/profile.schema.json), and
// `plan` makes a layout from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/profile/number_list.h"
#include "packer/trace/runs.h"

namespace seekless {

struct ProfiledRun {
  std::string trace;  // file name of the recording
  NumberList assets;  // indices in Profile::assets, in the order first read
  // The time from the run's first read to the end of its last, and the part of it in which at least
  // one read waited for a drive. Both are 0 if the trace has no times; the second is 0 if
  // everything came from memory.
  uint64_t span_us = 0;
  uint64_t waiting_us = 0;
  // Identifies the run and its recording, because files in different folders may have the same
  // name.
  RunId id = {};

  bool operator==(const ProfiledRun&) const = default;
};

struct ProfiledScenario {
  std::string name;
  std::vector<ProfiledRun> runs;

  bool operator==(const ProfiledScenario&) const = default;
};

struct Profile {
  std::vector<std::string> assets;          // paths of everything that some run reads
  std::vector<ProfiledScenario> scenarios;  // asset numbers are indices in `assets`

  bool operator==(const Profile&) const = default;
};

// Sorts scenarios by name and runs by the paths they read, and numbers assets in the order in which
// these runs first read them. So planning depends neither on the order nor on the names of the
// traces.
Profile in_planning_order(Profile profile);
// Returns true if scenarios and runs are in that order already.
bool is_in_planning_order(const Profile& profile);

// Writes each run with the number of its recording, counted in the order of writing. `path` may be
// "-".
Result<void> write_profile(const Profile& profile, const std::string& path);
Result<Profile> read_profile(const std::string& path);

}  // namespace seekless
