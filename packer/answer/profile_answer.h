// The answer of 'profile': what each recorded scenario needs, and what recordings read besides.
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

// Returns a line for each scenario, without a newline at the end; empty if there are none.
std::string to_text(const ProfileAnswer& answer);
nlohmann::ordered_json to_json(const ProfileAnswer& answer);

}  // namespace seekless
