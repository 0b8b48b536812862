// Which assets each scenario needs, in which order, in how many of its runs: what remains of traces
// once content is known. Written as JSON (schemas/profile.schema.json); `plan` makes a layout of
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/host/error.h"

namespace seekless {

struct ProfiledRun {
  std::string trace;             // the file it comes from
  std::vector<uint32_t> assets;  // indices in Profile::assets, in the order they were first read
  // From the run's first read to the end of its last, and of that, while at least one read waited
  // for a drive; 0 where the trace doesn't tell, or came from memory.
  uint64_t span_us = 0;
  uint64_t waiting_us = 0;

  bool operator==(const ProfiledRun&) const = default;
};

struct ProfiledScenario {
  std::string name;
  std::vector<ProfiledRun> runs;

  bool operator==(const ProfiledScenario&) const = default;
};

struct Profile {
  std::vector<std::string> assets;  // paths of all that some run reads, in the order they were met
  std::vector<ProfiledScenario> scenarios;  // by name; their runs by trace

  bool operator==(const Profile&) const = default;
};

// `path` may be "-".
Result<void> write_profile(const Profile& profile, const std::string& path);
Result<Profile> read_profile(const std::string& path);

}  // namespace seekless
