// Defines the answers of 'drive list' and 'drive show': the models of drives, and figures that
// follow from them.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/drive/profile.h"

namespace seekless {

// Describes the profile in words, and figures that follow from it, in several lines. The last line
// has no newline.
std::string describe_profile(const DriveProfile& profile);

struct DriveListAnswer {
  std::span<const DriveProfile> drives;
};

// Prints one row for each drive under a heading, and what the columns mean. The last line has no
// newline.
std::string to_text(const DriveListAnswer& answer);
nlohmann::ordered_json to_json(const DriveListAnswer& answer);

}  // namespace seekless
