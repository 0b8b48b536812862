// What calibration found, as text for a terminal and JSON for machines.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/calibrate/calibrate.h"

namespace seekless {

// The profile, how well it fits, and what was read for it; the last line without its end.
std::string to_text(const Calibration& found);
// {profile, fit, reads, bytes, failed_reads, seconds, remarks}
nlohmann::ordered_json to_json(const Calibration& found);

}  // namespace seekless
