// Drives as text for a terminal and JSON for machines: profiles, and what follows from them.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/drive/profile.h"

namespace seekless {

// The profile in words, and what follows from it: several lines, the last without its end.
std::string describe_profile(const DriveProfile& profile);

// One row each under a heading, and what the columns mean; the last line without its end.
std::string table_of_drives(std::span<const DriveProfile> profiles);
nlohmann::ordered_json drives_json(std::span<const DriveProfile> profiles);

}  // namespace seekless
