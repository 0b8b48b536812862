// Which assets each scenario needs, in which order, in how many of its runs: what remains of traces
// once content is known. Written as JSON (schemas/profile.schema.json); `plan` makes a layout of
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/profile/number_list.h"
#include "packer/trace/runs.h"

namespace seekless {

struct ProfiledRun {
  std::string trace;  // the file it comes from
  NumberList assets;  // indices in Profile::assets, in the order they were first read
  // From the run's first read to the end of its last, and of that, while at least one read waited
  // for a drive; 0 where the trace doesn't tell, or came from memory.
  uint64_t span_us = 0;
  uint64_t waiting_us = 0;
  // Which run of which recording it is: files in different folders may be called the same.
  RunId id = {};

  bool operator==(const ProfiledRun&) const = default;
};

struct ProfiledScenario {
  std::string name;
  std::vector<ProfiledRun> runs;

  bool operator==(const ProfiledScenario&) const = default;
};

struct Profile {
  std::vector<std::string> assets;          // paths of all that some run reads
  std::vector<ProfiledScenario> scenarios;  // numbers of assets are indices in `assets`

  bool operator==(const Profile&) const = default;
};

// Planning must not depend on the order in which traces were given, nor on what they are called. So
// scenarios are put in order by name, runs by the paths that they read; then assets are numbered as
// these first read them.
Profile in_planning_order(Profile profile);
// Whether scenarios and runs are in that order already.
bool is_in_planning_order(const Profile& profile);

// Runs are written with the number of their recording, counted in the order they are written.
// `path` may be "-".
Result<void> write_profile(const Profile& profile, const std::string& path);
Result<Profile> read_profile(const std::string& path);

}  // namespace seekless
