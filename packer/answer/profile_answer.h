// Defines the answer of 'profile': what each recorded scenario needs, and what else the recordings
// read.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/profile/profile.h"
#include "packer/profile/profile_traces.h"

namespace seekless {

struct ProfileAnswer {
  std::string output;  // the profile's file
  const Profile& profile;
  const std::vector<TraceMapping>& traces;
};

// Prints a line for each scenario; the last line has no newline. Returns an empty text if the
// profile has no scenarios.
std::string to_text(const ProfileAnswer& answer);
nlohmann::ordered_json to_json(const ProfileAnswer& answer);

}  // namespace seekless
