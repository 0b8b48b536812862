// Defines the answer of 'drive calibrate': the drive's profile, and how well it fits the
// measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/calibrate/calibrate.h"

namespace seekless {

struct CalibrateAnswer {
  std::string device;
  bool is_file = false;
  std::string output;                   // the profile's file
  std::optional<uint64_t> pieces = {};  // number of pieces that a file has on its drive, if known
  Calibration found;
};

// Prints the profile, how well it fits, and what was read to measure it. The last line has no
// newline.
std::string to_text(const CalibrateAnswer& answer);
nlohmann::ordered_json to_json(const CalibrateAnswer& answer);

}  // namespace seekless
