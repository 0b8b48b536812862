// The answers of 'drive list' and 'drive show': models of drives, and what follows from them.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/drive/profile.h"

namespace seekless {

// The profile in words, and what follows from it: several lines, the last without its end.
std::string describe_profile(const DriveProfile& profile);

struct DriveListAnswer {
  std::span<const DriveProfile> drives;
};

// One row each under a heading, and what the columns mean; the last line without its end.
std::string to_text(const DriveListAnswer& answer);
nlohmann::ordered_json to_json(const DriveListAnswer& answer);

}  // namespace seekless
